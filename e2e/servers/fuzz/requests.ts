import { addressOf } from '@/e2e/servers/fuzz/addresses'
import { type Caller, callerOf } from '@/e2e/servers/fuzz/callers'
import { type Draw, drawOf } from '@/e2e/servers/fuzz/draw'
import { type FormFiles, formBody } from '@/e2e/servers/fuzz/forms'
import { type FuzzHeaders, oddHeaders, otherContentType, otherMethod } from '@/e2e/servers/fuzz/heads'
import { jsonBody } from '@/e2e/servers/fuzz/json-bodies'
import type { Operation } from '@/e2e/servers/fuzz/operations'
import type { Hints } from '@/e2e/servers/fuzz/values'

/** One request before its credentials. */
export type FuzzRequest = {
  number: number
  operation: Operation
  method: string
  /** Below the base, with its query, as it is sent. */
  address: string
  headers: FuzzHeaders
  body?: Buffer
  caller: Caller
  /** What was done to it, in a word each. */
  changes: string[]
  draw: Draw
}

/** What fits an operation beyond its schema. */
export type Fitting = { hints: Hints; files: FormFiles }

const FORM_SHARE = 0.5
const OTHER_TYPE_SHARE = 0.06
const OTHER_METHOD_SHARE = 0.03

/** The request of this number: each operation has its turn. */
export function requestOf(
  seed: number,
  number: number,
  operations: readonly Operation[],
  fittingOf: (operation: Operation) => Fitting,
): FuzzRequest {
  const draw = drawOf(seed, number)
  const operation = operations[number % operations.length]!
  const fitting = fittingOf(operation)
  const { address, changes } = addressOf(operation, draw, fitting.hints)
  const sent = bodyOf(operation, draw, fitting)
  const odd = oddHeaders(draw)
  const isOther = draw.chance(OTHER_METHOD_SHARE)
  const method = isOther ? otherMethod(draw) : operation.method
  const headers: FuzzHeaders = { ...odd.headers }
  if (sent?.contentType !== undefined) headers['content-type'] = sent.contentType
  return {
    number,
    operation,
    method,
    address,
    headers,
    body: sent?.bytes,
    caller: callerOf(operation, draw),
    changes: [...(sent?.changes ?? []), ...changes, ...(odd.change ? [odd.change] : []), ...(isOther ? [method] : [])],
    draw,
  }
}

function bodyOf(
  { json, form }: Operation,
  draw: Draw,
  fitting: Fitting,
): { bytes: Buffer; changes: string[]; contentType?: string } | undefined {
  const isForm = form && (!json || draw.chance(FORM_SHARE))
  if (isForm) return formBody(form, draw, fitting)
  if (!json) return undefined
  const sent = jsonBody(json, draw, fitting.hints)
  if (!draw.chance(OTHER_TYPE_SHARE)) return { ...sent, contentType: 'application/json' }
  const contentType = otherContentType(draw)
  return { ...sent, contentType, changes: [...sent.changes, `as ${contentType?.slice(0, 40) ?? 'no type'}`] }
}
