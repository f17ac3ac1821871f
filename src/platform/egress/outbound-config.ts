// What the operator decides about outbound requests (Spec 6.4.2): the members of the configuration that this client reads.

export interface OutboundConfig {
  /** The service's public address; outbound requests to its own origin are refused. */
  readonly baseUrl: string
  /** `ROSTRUM_EGRESS_ALLOW`: CIDRs that may be reached although they are private. */
  readonly egressAllow: readonly string[]
  /** `ROSTRUM_EGRESS_PORTS`. */
  readonly egressPorts: readonly number[]
  /** `ROSTRUM_INSECURE_HTTP`. */
  readonly insecureHttp: boolean
  /** `ROSTRUM_DNS_SERVERS`: `ip[:port]`; empty means the system's. */
  readonly dnsServers: readonly string[]
  /** `ROSTRUM_DNSBL_ZONES`: `domain:<zone>[=codes]`, `ip:<zone>[=codes]`. */
  readonly dnsblZones: readonly string[]
  /** `ROSTRUM_DNSBL_RESOLVER`: `ip[:port]`; empty means as `dnsServers`. */
  readonly dnsblResolvers: readonly string[]
  /** `ROSTRUM_DNSBL_FAIL`: what an unreachable blocklist means. */
  readonly dnsblFail: 'open' | 'closed'
  /** `ROSTRUM_DNSBL_LIST`: path of a local list. */
  readonly dnsblList: string | null
}
