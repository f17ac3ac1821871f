// A self-signed certificate for tests of TLS, written as DER by hand: Node makes keys and signatures but no certificates.
import { generateKeyPairSync, sign } from 'node:crypto'

export interface TestCertificate {
  key: string
  cert: string
}

/** Valid from 2020 to 2049 for `hostname` alone. */
export function selfSigned(hostname: string): TestCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const ecdsaSha256 = sequence(oid([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]))
  const name = sequence(tagged(0x31, sequence(oid([0x55, 0x04, 0x03]), tagged(0x0c, Buffer.from(hostname)))))
  const altName = sequence(oid([0x55, 0x1d, 0x11]), tagged(0x04, sequence(tagged(0x82, Buffer.from(hostname)))))
  const isAuthority = sequence(oid([0x55, 0x1d, 0x13]), tagged(0x04, sequence(tagged(0x01, Buffer.from([0xff])))))
  const body = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    tagged(0x02, Buffer.from([1])),
    ecdsaSha256,
    name,
    sequence(tagged(0x17, Buffer.from('200101000000Z')), tagged(0x17, Buffer.from('491231235959Z'))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(isAuthority, altName)),
  )
  const signature = sign('sha256', body, privateKey)
  const der = sequence(body, ecdsaSha256, tagged(0x03, Buffer.concat([Buffer.from([0]), signature])))
  const cert = `-----BEGIN CERTIFICATE-----\n${der.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`
  return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }), cert }
}

function tagged(tag: number, content: Buffer): Buffer {
  const length = content.length
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

function sequence(...parts: Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts))
}

function oid(bytes: number[]): Buffer {
  return tagged(0x06, Buffer.from(bytes))
}
