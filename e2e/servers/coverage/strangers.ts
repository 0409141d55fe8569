import { bearer, type Credentials, type Sent } from '@/e2e/servers/coverage/asking'
import type { CoveredOperation } from '@/e2e/servers/coverage/operations'
import type { FuzzStage } from '@/e2e/servers/fuzz/stage'
import { command } from '@/e2e/testing/admin-line'
import type { Place } from '@/lib/endpoints/docs/openapi/testing-check'

/** A request for what is nobody's or another's, and how it is answered. */
export type Stranger = { what: string; sent: Sent; credentials?: Credentials; status: number; code?: string }

const UNKNOWN_ID = '5b1f4b8e-6f0a-4a0e-9d0b-3c1f5d2a7e11'
const OTHER_WALLET = '0x1111111111111111111111111111111111111111'

/** Names a model that is not there without harm: it is silently the default one. Source: API contract, images.md. */
const TAKES_ANY_MODEL: ReadonlySet<Place> = new Set<Place>(['POST /images/generations'])

/** An account beside that of the stage, with a key of each kind. */
export type OtherAccount = { key: string; adminKeyId: string }

export async function otherAccount({ stage }: FuzzStage): Promise<OtherAccount> {
  const create = async (...more: string[]) =>
    (await command(stage.dataDir, 'keys', 'create', '--name', 'other', '--credit', '5', ...more)).split('\n').at(-1)!
  const adminKey = await create('--type', 'ADMIN')
  const reply = await fetch(`${stage.baseUrl}/api_keys`, { headers: bearer(adminKey) })
  const { data } = (await reply.json()) as { data: { id: string }[] }
  return { key: await create(), adminKeyId: data[0]!.id }
}

export function strangersOf(operation: CoveredOperation, sound: Sent, other: OtherAccount): Stranger[] {
  const { place, path, json, form } = operation
  const withBody = (more: object): Sent => (sound.form ? { form: { ...sound.form, ...more } } : withJson(sound, more))
  const fields = Object.keys(((json ?? form)?.schema.properties ?? {}) as object)
  if (path.endsWith('/retrieve') || path.endsWith('/complete')) {
    const refused = { status: 400, code: 'REQUEST_ID_NOT_FOUND' }
    return [
      { what: 'an unknown job', sent: withBody({ queue_id: UNKNOWN_ID }), ...refused },
      { what: "another's job", sent: sound, credentials: bearer(other.key), ...refused },
    ]
  }
  if (fields.includes('model') && !path.startsWith('/api_keys')) {
    const isTaken = TAKES_ANY_MODEL.has(place)
    const answer = isTaken ? { status: 200 } : { status: 404, code: 'MODEL_NOT_FOUND' }
    return [{ what: 'an unknown model', sent: withBody({ model: 'nobody' }), ...answer }]
  }
  return BY_PLACE[place]?.(sound, other) ?? []
}

const withJson = ({ json }: Sent, more: object): Sent => ({ json: { ...(json as object), ...more } })

const BY_PLACE: Partial<Record<Place, (sound: Sent, other: OtherAccount) => Stranger[]>> = {
  'GET /models/{id}': () => [
    { what: 'an unknown model', sent: { path: '/models/nobody' }, status: 404, code: 'MODEL_NOT_FOUND' },
  ],
  'GET /characters/{slug}': () => [
    { what: 'an unknown character', sent: { path: '/characters/nobody' }, status: 404, code: 'CHARACTER_NOT_FOUND' },
  ],
  'GET /characters/{slug}/reviews': () => [
    {
      what: 'an unknown character',
      sent: { path: '/characters/nobody/reviews' },
      status: 404,
      code: 'CHARACTER_NOT_FOUND',
    },
  ],
  'POST /crypto/rpc/{network}': (sound) => {
    const sent = { ...sound, path: '/crypto/rpc/nowhere' }
    const refused = { status: 400, code: 'UNSUPPORTED_RPC_NETWORK' }
    return [
      { what: 'an unknown network', sent, ...refused },
      { what: 'an unknown network, by nobody', sent, credentials: {}, ...refused },
    ]
  },
  'GET /x402/balance/{walletAddress}': () => ofWallet((address) => `/x402/balance/${address}`),
  'GET /x402/transactions/{walletAddress}': () => ofWallet((address) => `/x402/transactions/${address}`),
  'GET /api_keys/{id}': (_, other) => ofKeys((id) => ({ path: `/api_keys/${id}` }), other),
  'PATCH /api_keys': (sound, other) => ofKeys((id) => withJson(sound, { id }), other),
  'DELETE /api_keys': (_, other) => ofKeys((id) => ({ query: { id } }), other),
}

const ofKeys = (sentFor: (id: string) => Sent, { adminKeyId }: OtherAccount): Stranger[] => [
  { what: 'an unknown key', sent: sentFor(UNKNOWN_ID), status: 400, code: 'INVALID_REQUEST' },
  { what: "another's key", sent: sentFor(adminKeyId), status: 400, code: 'INVALID_REQUEST' },
]

const ofWallet = (pathOf: (address: string) => string): Stranger[] => [
  { what: "another's wallet", sent: { path: pathOf(OTHER_WALLET) }, status: 403, code: 'X402_WALLET_MISMATCH' },
  { what: 'no address', sent: { path: pathOf('nobody') }, status: 400, code: 'INVALID_REQUEST' },
]
