# Shown in /docs/webhooks and run by its test: ID, TIMESTAMP, SIGNATURE and SECRET set, the body on standard input.
key=$(printf %s "${SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \n')
expected=$({ printf '%s.%s.' "$ID" "$TIMESTAMP"; cat; } | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A)
case " $SIGNATURE " in *" v1,$expected "*) echo authentic ;; *) exit 1 ;; esac
