export type RefusalReason =
  | 'address'
  | 'scheme'
  | 'blocked'
  | 'redirect'
  | 'status'
  | 'type'
  | 'too-large'
  | 'timeout'
  | 'unreachable'
  | 'encoding'

/** One message for every cause that would tell an outsider about the network behind an address. */
const OUT_OF_REACH =
  'The address could not be fetched: it must be a public one, on port 80 or 443, and its server must answer in time.'

const MESSAGES: Record<RefusalReason, string> = {
  address: OUT_OF_REACH,
  unreachable: OUT_OF_REACH,
  timeout: OUT_OF_REACH,
  scheme: 'Only http and https addresses without a user name and password can be fetched.',
  blocked: 'The site of the address forbids automated access.',
  redirect: 'The address redirects too often, or to a blocked address.',
  status: 'The server of the address answered with an error.',
  type: 'What the address holds is not of a type that can be used here.',
  'too-large': 'What the address holds is too large.',
  encoding: 'What the address holds is compressed in a way that cannot be read.',
}

export class FetchRefused extends Error {
  override name = 'FetchRefused'
  readonly reason: RefusalReason

  constructor(reason: RefusalReason, options: { message?: string; cause?: unknown } = {}) {
    super(options.message ?? MESSAGES[reason], { cause: options.cause })
    this.reason = reason
  }
}

export function refused(reason: RefusalReason, detail: string): FetchRefused {
  return new FetchRefused(reason, { cause: detail })
}
