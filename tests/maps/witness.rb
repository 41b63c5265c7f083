# Reads literals of Ruby as Ruby does: lines of JSON, as a literal stands and as it was read.
require "json"

agreed = 0
other = 0
wrong = []
File.foreach(ARGV[0], encoding: "UTF-8") do |line|
  stands, text = JSON.parse(line)
  # Only what begins and ends like a text: nothing is run that is more than that.
  unless stands.match?(/\A(?:"[^#]*"|'.*'|%[qQ]?[^\w\s#][^#]*)\z/m)
    other += 1
    next
  end
  value = begin
    RubyVM::InstructionSequence.compile(stands) && eval(stands)
  rescue SyntaxError, StandardError
    nil
  end
  if !value.is_a?(String) || !value.dup.force_encoding("UTF-8").valid_encoding?
    other += 1
  elsif value.dup.force_encoding("UTF-8") == text
    agreed += 1
  else
    wrong << [stands, text, value]
  end
end
puts "Ruby #{RUBY_VERSION}: #{agreed} agreed, #{wrong.size} did not, #{other} are no literals of their own"
wrong.first(10).each { |it| puts "  #{it.map(&:inspect).join(' | ')}" }
exit(wrong.empty? && agreed.positive? ? 0 : 1)
