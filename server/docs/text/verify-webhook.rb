# Shown in /docs/webhooks and run by its test, so that what readers copy is what works.
require "openssl"

# headers: by lower-case name; body: the bytes exactly as they came
def authentic?(headers, body, secret)
  key = secret.delete_prefix("whsec_").unpack1("m")
  signed = "#{headers["webhook-id"]}.#{headers["webhook-timestamp"]}.#{body}"
  expected = "v1," + [OpenSSL::HMAC.digest("SHA256", key, signed)].pack("m0")
  recent = (Time.now.to_i - headers["webhook-timestamp"].to_i).abs < 300
  recent && headers["webhook-signature"].split.any? { |given| OpenSSL.secure_compare(given, expected) }
end
