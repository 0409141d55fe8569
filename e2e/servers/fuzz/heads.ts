import type { Draw } from '@/e2e/servers/fuzz/draw'

export type FuzzHeaders = Record<string, string | string[]>

const WRONG_TYPES: readonly (string | undefined)[] = [
  undefined,
  '',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'multipart/form-data; boundary=x',
  'application/jsonx',
  'application/json, text/plain',
  'image/png',
  'a'.repeat(1_000),
]
const JSON_TYPES = [
  'application/json; charset=utf-8',
  'APPLICATION/JSON',
  'application/json;charset=latin1',
  'application/vnd.api+json',
  'application/json; boundary="',
]

/** Content types for a JSON body that the service need not take, and spellings of the right one. */
export const otherContentType = (draw: Draw): string | undefined =>
  draw.chance(0.6) ? draw.pick(WRONG_TYPES) : draw.pick(JSON_TYPES)

/** Headers that a request may have beside those of its work. None of them may make a difference to the server's health. */
const ODD: readonly FuzzHeaders[] = [
  { accept: '*/*;q=0' },
  { accept: 'text/csv' },
  { accept: 'application/xml, text/csv;q=0.1, */*;q=0.01' },
  { accept: ','.repeat(500) },
  { 'accept-encoding': 'br' },
  { 'accept-encoding': 'gzip;q=1.0, *;q=0' },
  { 'accept-encoding': 'identity;q=0, *;q=0' },
  { 'accept-encoding': 'zstd, compress' },
  { 'accept-language': 'ar;q=1, *;q=x' },
  { 'content-encoding': 'gzip' },
  { 'idempotency-key': 'one' },
  { 'idempotency-key': 'not a key!' },
  { 'idempotency-key': 'k'.repeat(300) },
  { origin: 'https://evil.example' },
  { origin: 'null', 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-origin', cookie: 'session=x' },
  { cookie: 'service_session=SERVICE_SESSION_0000; a=b; =; ;' },
  { 'x-http-method-override': 'DELETE' },
  { 'x-forwarded-for': '1.2.3.4, ::1, unknown', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
  { 'x-service-client-address': '6.6.6.6' },
  {
    'x-service-mobile-version': '1.2.3',
    'x-service-middleface-version': '4.5',
    'x-service-request-timestamp-ms': '17',
  },
  { 'x-service-mobile-version': 'no version', 'x-service-request-timestamp-ms': 'soon' },
  { 'if-none-match': '*', 'if-modified-since': 'Thu, 01 Jan 2099 00:00:00 GMT' },
  { range: 'bytes=0-1' },
  { expect: '100-continue' },
  { te: 'trailers, deflate;q=0.5' },
  { via: '1.1 fuzz', forwarded: 'for=_hidden' },
  { 'user-agent': '' },
  { 'x-odd': ['one', 'two', 'three'] },
  { 'x-long': 'x'.repeat(5_000) },
  { 'x-latin': '\u00ff\u00fe' },
  { 'payment-signature': 'e30=' },
  { 'x-payment': '!!!' },
  { 'x-402-payment': Buffer.from('{"x402Version":2,"payload":{}}').toString('base64') },
]

const ODD_SHARE = 0.2

export function oddHeaders(draw: Draw): { headers: FuzzHeaders; change?: string } {
  if (!draw.chance(ODD_SHARE)) return { headers: {} }
  const headers = draw.pick(ODD)
  return { headers, change: `with ${Object.keys(headers).join(' ')}` }
}

const OTHER_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'LOCK', 'TRACE'] as const

export const otherMethod = (draw: Draw): string => draw.pick(OTHER_METHODS)
