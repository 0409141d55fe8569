import { disagreements } from '@/e2e/servers/fuzz/agreement'
import type { FuzzRequest } from '@/e2e/servers/fuzz/requests'
import type { FuzzReply } from '@/e2e/servers/fuzz/send'
import { leaksOf } from '@/e2e/testing/ask'
import type { DocumentCheck, Place } from '@/lib/endpoints/docs/openapi/testing-check'

/** Server errors that the stage provokes, by operation: each with what provokes it. */
const OFFLINE = { MODEL_OFFLINE: 'the model `away` is' }
const PROVOKED: Partial<Record<Place, Record<string, string>>> = {
  'POST /chat/completions': OFFLINE,
  'POST /responses': OFFLINE,
}
/** Nothing here works longer than this; who waits longer has found something that does. */
const SLOW_MS = 20_000
/** It tells a new key, once. */
const NEW_KEY: Place = 'POST /api_keys'

/** What is wrong with a reply, in a line each; nothing when all is well. */
export function faultsOf(request: FuzzRequest, reply: FuzzReply, check: DocumentCheck): string[] {
  const { status, headers, text, ms } = reply
  const slow = ms > SLOW_MS ? [`took ${Math.round(ms / 1_000)} s`] : []
  if (request.method === 'OPTIONS') return [...slow, ...(status === 204 ? [] : [`a preflight answered ${status}`])]
  const place = check.placeOf(request.method, request.address)
  return [
    ...slow,
    ...serverFault(place, reply),
    ...check.faultsOfHead(place, status, headers),
    ...(request.method === 'HEAD' ? [] : check.faultsOfBody(place, status, headers, text)),
    ...(place === NEW_KEY && status === 200
      ? []
      : leaksOf(text + JSON.stringify([...headers])).map((leak) => `tells ${leak}`)),
    ...(headers.has('x-injected') ? ['a header was injected'] : []),
    ...disagreements(request, reply, check),
  ]
}

function serverFault(place: Place | undefined, { status, text }: FuzzReply): string[] {
  if (status < 500) return []
  const code = /"(?:code|error)":"([A-Z]\w+)"/.exec(text)?.[1] ?? 'no code'
  return place && PROVOKED[place]?.[code] ? [] : [`${status} ${code}`]
}
