//! supabase-js (<https://supabase.com/docs/reference/javascript/rpc>): each call is an HTTP request to PostgREST, which
//! runs it in a transaction of its own (<https://docs.postgrest.org/en/stable/references/transactions.html>).

use crate::driver::{Does, Driver, HANDLE, Kind, LIBRARY, SCRIPT};
use crate::flow::{Begins, Owner};

pub(super) const DRIVER: Driver = Driver {
    name: "supabase-js",
    languages: SCRIPT,
    imports: &["@supabase"],
    kinds: &[Kind {
        name: "Client",
        types: &["@supabase/supabase-js.SupabaseClient"],
        owner: Owner::PerCall,
        begins: Begins::Never,
        pin: "one function in the database, called by one `rpc`",
        methods: &[
            (&["rpc"], Does::Run),
            (&["schema"], Does::Gives("Client")),
            (&["auth", "storage", "functions", "channel", "realtime"], Does::Nothing),
        ],
        otherwise: Does::Works,
        ..HANDLE
    }],
    makers: &[
        ("@supabase/supabase-js.createClient", "Client"),
        ("@supabase/ssr.createServerClient", "Client"),
        ("@supabase/ssr.createBrowserClient", "Client"),
    ],
    ..LIBRARY
};
