// Shown in /docs/webhooks and run by its test, so that what readers copy is what works.
package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// header: r.Header.Get; body: the bytes exactly as they came.
func IsAuthentic(header func(name string) string, body []byte, secret string) bool {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	seconds, noTime := strconv.ParseInt(header("webhook-timestamp"), 10, 64)
	if err != nil || noTime != nil || math.Abs(time.Since(time.Unix(seconds, 0)).Seconds()) >= 300 {
		return false
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%d.%s", header("webhook-id"), seconds, body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, given := range strings.Fields(header("webhook-signature")) {
		if hmac.Equal([]byte(given), []byte(expected)) {
			return true
		}
	}
	return false
}
