<?php
// Reads literals of PHP as PHP does: lines of JSON, as a literal stands and as it was read.
$agreed = $other = 0;
$wrong = [];
foreach (new SplFileObject($argv[1]) as $line) {
    if (trim($line) === '') {
        continue;
    }
    [$stands, $text] = json_decode($line);
    $value = null;
    $tokens = token_get_all('<?php ' . $stands);
    // One token that is a text: nothing is run that is more than that.
    if (count($tokens) === 2 && is_array($tokens[1]) && $tokens[1][0] === T_CONSTANT_ENCAPSED_STRING) {
        $value = eval('return ' . $stands . ';');
    }
    if (!is_string($value) || preg_match('//u', $value) !== 1) {
        $other++;
    } elseif ($value === $text) {
        $agreed++;
    } else {
        $wrong[] = [$stands, $text, $value];
    }
}
printf("PHP %s: %d agreed, %d did not, %d are no literals of their own\n", PHP_VERSION, $agreed, count($wrong), $other);
foreach (array_slice($wrong, 0, 10) as $it) {
    echo '  ', json_encode($it, JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_INVALID_UTF8_SUBSTITUTE), "\n";
}
exit($wrong === [] && $agreed > 0 ? 0 : 1);
