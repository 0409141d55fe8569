import {
  askOperation,
  bearer,
  type Credentials,
  fittingCredentials,
  type Seen,
  type Sent,
} from '@/e2e/servers/coverage/asking'
import { soundForm, soundRequest } from '@/e2e/servers/coverage/audio'
import { badValuesOf, textFits } from '@/e2e/servers/coverage/bad-values'
import { type CoveredField, type Place as FieldPlace, fieldsOf } from '@/e2e/servers/coverage/fields'
import type { CoveredOperation } from '@/e2e/servers/coverage/operations'
import { type OtherAccount, strangersOf } from '@/e2e/servers/coverage/strangers'
import type { FuzzStage } from '@/e2e/servers/fuzz/stage'

export type CoveredRow = Pick<CoveredField, 'place' | 'name' | 'words' | 'isRequired'> & {
  /** How it is answered; nothing where there is no such value. */
  wrong?: string
  beyond?: string
}

/** What was seen of an operation. */
export type Covered = {
  rows: CoveredRow[]
  /** Each status with the codes that came with it. */
  statuses: Map<number, Set<string>>
  unknownFields?: 'refused' | 'ignored'
  /** What was not as the document or the contract says, a line each. */
  faults: string[]
}

type Expected = { status: number; code?: string }

const UNKNOWN = 'no_such_field'
const MAX_SHOWN_CHARACTERS = 300
const REFUSED: Expected = { status: 400, code: 'INVALID_REQUEST' }
/** A method that is not offered has a code of its own. Source: API contract, crypto-rpc.md. */
const OWN_CODES: Record<string, string> = { 'POST /crypto/rpc/{network} method ""': 'UNSUPPORTED_RPC_METHOD' }
/** Its parameters are closed. Source: API contract, billing.md. */
const STRICT_QUERY = 'GET /billing/usage-history'
/** A voice is never cloned here, which the document says. */
const WITHOUT_SUCCESS: Record<string, Expected> = { 'POST /audio/voices': { status: 403, code: 'UNAUTHORIZED' } }
/** What is sent is good once. */
const GOOD_ONCE = new Set(['POST /x402/top-up', 'POST /api_keys/generate_web3_key'])

/** Asks an operation everything that its description tells how to ask. */
export async function cover(operation: CoveredOperation, fuzz: FuzzStage, other: OtherAccount): Promise<Covered> {
  const covered: Covered = { rows: [], statuses: new Map(), faults: [] }
  const sound = await soundRequest(operation, fuzz)
  const asker = askerOf(operation, fuzz, covered)
  const { ask } = asker
  const done = WITHOUT_SUCCESS[operation.place] ?? { status: 200 }

  await ask('a sound request', sound, done)
  const soundAsForm = operation.json && soundForm(operation, fuzz)
  if (soundAsForm) await ask('a sound form', soundAsForm, done)
  for (const field of fieldsOf(operation, operation.hints, fuzz.document.components.schemas ?? {})) {
    const request = field.place === 'form' ? (soundAsForm ?? sound) : sound
    covered.rows.push(await coverField(field, request, asker, operation, fuzz))
  }
  covered.unknownFields = await coverUnknown(operation, sound, asker, done)
  await coverShapes(operation, sound, asker)
  await coverCallers(operation, sound, asker, fuzz)
  for (const { what, sent, credentials, ...expected } of strangersOf(operation, sound, other)) {
    await ask(what, sent, expected, credentials)
  }
  return covered
}

type Asker = {
  /** Asks, and notes what came and whether that is what was expected. */
  ask: (what: string, sent: Sent, expected: Expected, credentials?: Credentials) => Promise<Seen>
  note: (fault: string) => void
}

function askerOf(operation: CoveredOperation, fuzz: FuzzStage, { statuses, faults }: Covered): Asker {
  const note = (fault: string) => void faults.push(fault)
  const ask: Asker['ask'] = async (what, sent, expected, credentials) => {
    const own = credentials ?? (await fittingCredentials(operation, fuzz))
    const seen = await askOperation(operation, sent, own, fuzz)
    const codes = statuses.get(seen.status) ?? new Set()
    statuses.set(seen.status, seen.code === undefined ? codes : codes.add(seen.code))
    const isExpected = seen.status === expected.status && (expected.code === undefined || seen.code === expected.code)
    if (!isExpected) {
      const wanted = [expected.status, expected.code].filter(Boolean).join(' ')
      note(`${what}: ${seen.status} instead of ${wanted}: ${seen.text.slice(0, MAX_SHOWN_CHARACTERS)}`)
    }
    return seen
  }
  return { ask, note }
}

/** A request that has this in the place of a field. */
function holding({ place, top }: { place: FieldPlace; top: string }, sound: Sent, held: unknown): Sent {
  if (place === 'query') return { ...sound, query: { ...sound.query, [top]: String(held) } }
  if (place === 'form') return { form: { ...sound.form, [top]: String(held) } }
  return { path: sound.path, json: bodyHolding(sound, top, held) }
}

const bodyHolding = ({ json = {} }: Sent, top: string, held: unknown): object => ({ ...(json as object), [top]: held })

async function coverField(
  field: CoveredField,
  sound: Sent,
  { ask, note }: Asker,
  operation: CoveredOperation,
  { check }: FuzzStage,
): Promise<CoveredRow> {
  const { json, form, parameters } = operation
  const { place, name, top, words, isRequired, spots } = field
  const fits = (held: unknown): boolean => {
    if (place === 'body') return check.faultsOf(json!.schema, bodyHolding(sound, top, held)) === undefined
    const inForm = (form?.schema.properties as Record<string, object> | undefined)?.[top]
    const schema = place === 'form' ? inForm : parameters.find((one) => one.name === top)?.schema
    return textFits(check, { ...schema }, String(held))
  }
  const refuse = async (what: string, sent: Sent, code = REFUSED.code) => {
    const seen = await ask(`${name} ${what}`, sent, { status: 400, code })
    if (seen.status === 400 && !isNamed(field, seen))
      note(`${name} ${what}: named is ${JSON.stringify(seen.named)}: ${seen.text.slice(0, MAX_SHOWN_CHARACTERS)}`)
  }
  const { wrong, beyond } = badValuesOf(field, fits)
  for (const held of wrong) await refuse(`of another kind: ${shown(held)}`, holding(field, sound, held))
  for (const held of beyond) {
    const code = OWN_CODES[`${operation.place} ${name} ${shown(held)}`]
    await refuse(`beyond its bounds: ${shown(held)}`, holding(field, sound, held), code)
  }
  if (isRequired) await refuse('left out', without(field, sound, spots[0]!.put(undefined)))
  return {
    place,
    name,
    words,
    isRequired,
    ...(wrong.length > 0 && { wrong: '400' }),
    ...(beyond.length > 0 && { beyond: '400' }),
  }
}

const shown = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 80)

function without(field: CoveredField, sound: Sent, held: unknown): Sent {
  const { place, top } = field
  if (held !== undefined) return holding(field, sound, held)
  const { [top]: _, ...others } = { ...((place === 'form' ? sound.form : sound.json) as Record<string, never>) }
  return place === 'form' ? { form: others } : { json: others }
}

const isNamed = ({ top, leaf = top }: CoveredField, { named }: Seen): boolean =>
  named.some((path) => path.includes(top) && path.includes(leaf))

async function coverUnknown(
  { json, form, place, method }: CoveredOperation,
  sound: Sent,
  { ask, note }: Asker,
  done: Expected,
): Promise<Covered['unknownFields']> {
  if (method === 'GET') {
    const isStrict = place === STRICT_QUERY
    await ask(
      'an unknown parameter',
      { ...sound, query: { ...sound.query, [UNKNOWN]: '1' } },
      isStrict ? REFUSED : done,
    )
    return isStrict ? 'refused' : 'ignored'
  }
  if (sound.form && form) await ask('an unknown part', { form: { ...sound.form, [UNKNOWN]: '1' } }, done)
  if (!json) return form && 'ignored'
  const isClosed = json.schema.additionalProperties === false
  if (!isClosed && GOOD_ONCE.has(place)) return undefined
  const body = bodyHolding(sound, UNKNOWN, 1)
  const seen = await ask('an unknown field', { json: body }, isClosed ? REFUSED : done)
  if (isClosed && !seen.text.includes(UNKNOWN)) note(`an unknown field is not named: ${seen.text}`)
  return isClosed ? 'refused' : 'ignored'
}

/** What is no request at all. */
async function coverShapes({ json, form }: CoveredOperation, sound: Sent, { ask }: Asker): Promise<void> {
  const wrongType: Expected = { status: 415, code: 'INVALID_CONTENT_TYPE' }
  const asText = { 'content-type': 'text/plain' }
  if (json && !json.isOptional) {
    await ask('half of a body', { json: '{' }, REFUSED)
    await ask('a body as text', { json: sound.json ?? '{}', headers: asText }, wrongType)
  } else if (form) {
    await ask('JSON in place of a form', { json: {} }, wrongType)
  }
}

async function coverCallers(
  { access, place }: CoveredOperation,
  sound: Sent,
  { ask, note }: Asker,
  { keys }: FuzzStage,
): Promise<void> {
  const unknown: Expected = { status: 401, code: 'AUTHENTICATION_FAILED' }
  switch (access) {
    case 'paid': {
      const { headers } = await ask('nobody', sound, { status: 402 }, {})
      if (!headers.has('payment-required')) note('nobody is told how to pay')
      // A bare request is how agents find out what to pay.
      await ask('nobody, with nothing', {}, { status: 402 }, {})
      await ask('a stranger', sound, unknown, bearer('nobody'))
      await ask('a key that was ended', sound, unknown, bearer(keys.ENDED_KEY))
      return
    }
    case 'wallet':
      await ask('nobody', sound, { status: 401, code: 'X402_INVALID_SIGN_IN' }, {})
      await ask('a key', sound, { status: 401, code: 'X402_INVALID_SIGN_IN' }, bearer(keys.KEY))
      return
    case 'admin':
    case 'key':
      await ask('nobody', sound, unknown, {})
      await ask('a stranger', sound, unknown, bearer('nobody'))
      if (access === 'admin')
        await ask('another key', sound, { status: 401, code: 'ADMIN_KEY_REQUIRED' }, bearer(keys.KEY))
      return
    default:
      if (!GOOD_ONCE.has(place)) await ask('a stranger, who is not asked', sound, { status: 200 }, bearer('nobody'))
  }
}
