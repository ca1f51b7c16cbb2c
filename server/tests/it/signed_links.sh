#!/bin/sh
# Makes signed_links.json with openssl: a set of keys as Prolific publishes it, and links' tokens.
# Usage: sh signed_links.sh > signed_links.json
set -e
folder=$(mktemp -d)
base64url() { openssl base64 -A | tr '+/' '-_' | tr -d '='; }
for key in one two; do openssl genrsa -out "$folder/$key" 2048 2>/dev/null; done
token() { # key, header, claims
    body=$(printf %s "$2" | base64url).$(printf %s "$3" | base64url)
    printf '%s.%s' "$body" "$(printf %s "$body" | openssl dgst -sha256 -sign "$folder/$1" | base64url)"
}
modulus() { openssl rsa -in "$folder/$1" -noout -modulus | cut -d= -f2 | xxd -r -p | base64url; }
header='{"alg":"RS256","kid":"first","typ":"JWT"}'
ids='"prolific":{"PROLIFIC_PID":"5f","STUDY_ID":"60","SESSION_ID":"61","workspace_id":"62"}'
aud='"iss":"https://www.prolific.com","aud":"https://study.example.org/study/small","sub":"61"'
# The tests begin at 1900000000; an hour, or almost a week.
claims='{'$aud',"iat":1899999990.5,"nbf":1899999990,"exp":1900003600,'$ids'}'
week='{'$aud',"iat":1900000000,"exp":1900600000,'$ids'}'
good=$(token one "$header" "$claims")
cat <<END
{
  "keys": { "keys": [{ "kty": "RSA", "kid": "first", "alg": "RS256", "use": "sig", "e": "AQAB", "n": "$(modulus one)" }] },
  "later_keys": { "keys": [{ "kty": "RSA", "kid": "second", "alg": "RS256", "use": "sig", "e": "AQAB", "n": "$(modulus two)" }] },
  "good": "$good",
  "for_days": "$(token one "$header" "$week")",
  "by_second": "$(token two '{"alg":"RS256","kid":"second","typ":"JWT"}' "$week")",
  "ends_in_years": "$(token one "$header" '{'"$aud"',"exp":2000000000,'"$ids"'}')",
  "held_for_years": "$(token one "$header" '{'"$aud"',"iat":1800000000,"exp":1900003600,'"$ids"'}')",
  "begins_later": "$(token one "$header" '{'"$aud"',"nbf":1900001800,"exp":1900003600,'"$ids"'}')",
  "signed_later": "$(token one "$header" '{'"$aud"',"iat":1900001800,"exp":1900003600,'"$ids"'}')",
  "wrong_key": "$(token two "$header" "$claims")",
  "for_another": "$(token one "$header" '{"aud":"https://other.example.org/","exp":1900003600,'"$ids"'}')",
  "too_old": "$(token one "$header" '{"aud":"study.example.org","exp":1000000000,'"$ids"'}')",
  "no_key": "$(token one '{"alg":"RS256","typ":"JWT"}' "$claims")",
  "not_signed": "$(printf %s '{"alg":"none","kid":"first"}' | base64url).$(printf %s "$claims" | base64url).",
  "by_the_public_key": "$(body=$(printf %s '{"alg":"HS256","kid":"first"}' | base64url).$(printf %s "$claims" | base64url); printf '%s.%s' "$body" "$(printf %s "$body" | openssl dgst -sha256 -hmac "$(openssl rsa -in "$folder/one" -pubout 2>/dev/null)" -binary | base64url)")"
}
END
rm -r "$folder"
