import { expect } from '@playwright/test'
import type { Stage } from '@/e2e/testing/contract-stage'
import { UPSTREAM_SECRET } from '@/e2e/testing/contract-upstream'

export type Answer = { status: number; headers: Headers; text: string; json: Record<string, unknown> }

/** Stack frames, places in a file system, secrets. */
const LEAKS = [
  /\n\s+at .+:\d+/,
  /node_modules|\/srv\/|\.mjs:\d|dist\/server/,
  /SERVICE_(INFERENCE|ADMIN)_KEY_\w/,
  /ECONN|undici/,
]

/** Posts to `/chat/completions`, or another path; the body is sent as it is when it is text or bytes already. No answer may leak. */
export async function ask(
  { baseUrl }: Pick<Stage, 'baseUrl'>,
  key: string | undefined,
  body: unknown,
  headers: Record<string, string> = {},
  path = 'chat/completions',
): Promise<Answer> {
  const response = await fetch(`${baseUrl}/${path}`, {
    method: 'POST',
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      'content-type': 'application/json',
      ...headers,
    },
    body: typeof body === 'string' || isBytes(body) ? body : JSON.stringify(body),
  })
  const text = await response.text()
  expectNoLeak(text + JSON.stringify([...response.headers]))
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : {} }
}

const isBytes = (body: unknown): body is Uint8Array<ArrayBuffer> => body instanceof Uint8Array

export function expectNoLeak(text: string): void {
  expect(text).not.toContain(UPSTREAM_SECRET)
  for (const leak of LEAKS) expect(text).not.toMatch(leak)
}

/** What of that a text holds. */
export const leaksOf = (text: string): string[] => LEAKS.flatMap((leak) => leak.exec(text)?.[0] ?? [])

/** Every error answer has the contract's shape: a text, a code, and where it came from. */
export function expectError(answer: Answer, status: number, code: string): void {
  expect({ status: answer.status, code: answer.json.code, text: answer.text.slice(0, 300) }).toMatchObject({
    status,
    code,
  })
  expect(answer.json.error).toEqual(expect.any(String))
  expect(answer.headers.get('cf-ray')).toMatch(/^[0-9a-f]{16}-[A-Z]{3}$/)
  expect(answer.headers.get('x-service-host-name')).toBeTruthy()
}

/** What the account has, in nano-dollars: the header tells it as it was before the request. */
export async function balanceOf(stage: Stage, key: string): Promise<{ before: bigint; cost: bigint }> {
  const { status, headers, json } = await ask(stage, key, {
    model: 'say',
    messages: [{ role: 'user', content: 'Hello' }],
  })
  expect(status).toBe(200)
  const cost = (json.cost as { usd: number }).usd
  return { before: nanoOf(headers.get('x-service-balance-usd') ?? ''), cost: BigInt(Math.round(cost * 1e9)) }
}

export function nanoOf(dollars: string): bigint {
  const [whole, fraction = ''] = dollars.split('.')
  return BigInt(`${whole}${fraction.padEnd(9, '0').slice(0, 9)}`)
}
