import { expect, test } from 'vitest'
import { isSameOrigin } from '@/lib/services/identity/same-origin-cookie'
import { withEnvironment } from '@/lib/services/identity/testing'

const sandbox: Record<string, string> = {}
const publicSandbox = { SANDBOX: 'on', SERVICE_ORIGIN: 'https://try.example' }
const live = { SANDBOX: 'off', SERVICE_ORIGIN: 'https://api.example' }

test.each([
  ['its own origin', sandbox, { origin: 'http://localhost:3000' }, true],
  ['another name of this machine', sandbox, { origin: 'http://127.0.0.1:3000' }, true],
  ['the IPv6 name of this machine', sandbox, { origin: 'http://[::1]:3000' }, true],
  ['another port', sandbox, { origin: 'http://localhost:3001' }, false],
  ['another scheme', sandbox, { origin: 'https://localhost:3000' }, false],
  ['a sandboxed frame', sandbox, { origin: 'null', 'sec-fetch-site': 'same-origin', host: 'localhost:3000' }, false],
  ['a stranger', sandbox, { origin: 'https://evil.example' }, false],
  ['text that is no origin', sandbox, { origin: 'http://[' }, false],
  ['a look-alike', sandbox, { origin: 'http://localhost.evil.example:3000' }, false],
  ['same-origin without Origin', sandbox, { 'sec-fetch-site': 'same-origin', host: '127.0.0.1:3000' }, true],
  ['a rebound name', sandbox, { 'sec-fetch-site': 'same-origin', host: 'evil.example:3000' }, false],
  [
    'a rebound name with Origin',
    sandbox,
    { 'sec-fetch-site': 'same-origin', origin: 'http://evil.example:3000' },
    false,
  ],
  ['cross-site', sandbox, { 'sec-fetch-site': 'cross-site', host: 'localhost:3000' }, false],
  ['a typed address', sandbox, { 'sec-fetch-site': 'none', host: 'localhost:3000' }, false],
  ['no browser at all', sandbox, { host: 'localhost:3000' }, false],
  ['the live origin', live, { origin: 'https://api.example' }, true],
  ['this machine, live', live, { origin: 'http://localhost:3000' }, false],
  ['the live origin without TLS', live, { origin: 'http://api.example' }, false],
  ['same-origin behind a proxy that rewrites Host', live, { 'sec-fetch-site': 'same-origin', host: 'app:3000' }, true],
  ['a public sandbox behind such a proxy', publicSandbox, { 'sec-fetch-site': 'same-origin', host: 'app:3000' }, true],
])('%s', async (_, environment, headers, isOwn) => {
  await withEnvironment(environment, () =>
    expect(isSameOrigin(new Headers(headers as Record<string, string>))).toBe(isOwn),
  )
})
