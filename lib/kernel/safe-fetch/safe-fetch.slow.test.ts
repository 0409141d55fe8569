import { afterEach, describe, expect, test } from 'vitest'
import { type Config, config, parseConfig } from '@/lib/kernel/config'
import {
  createSafeFetch,
  type FetchOptions,
  FetchRefused,
  type SafeFetchSetup,
  safeFetch,
} from '@/lib/kernel/safe-fetch/safe-fetch'
import { FORBIDDEN_SCHEMES, forbiddenUrls } from '@/lib/kernel/testing/forbidden-addresses'
import { type LocalServer, startLocalServer, testCertificate } from '@/lib/kernel/testing/local-server'

const NEVER = new AbortController().signal
const MB = 1_048_576
const PUBLIC = '93.184.216.34'

const servers: LocalServer[] = []
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})
async function serve(...args: Parameters<typeof startLocalServer>): Promise<LocalServer> {
  const server = await startLocalServer(...args)
  servers.push(server)
  return server
}

const nobody: SafeFetchSetup['resolve'] = async () => []
const names =
  (table: Record<string, string[]>): SafeFetchSetup['resolve'] =>
  async (hostname) =>
    (table[hostname] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))

const fetcher = (allowed: LocalServer[], more: Partial<SafeFetchSetup> = {}) =>
  createSafeFetch({ resolve: nobody, allowOrigins: new Set(allowed.map(({ origin }) => origin)), ...more })
const get = (fetch: typeof safeFetch, url: string, options: Partial<FetchOptions> = {}) =>
  fetch(url, { maxBytes: MB, signal: NEVER, ...options })
const refusal = async (fetching: Promise<unknown>): Promise<FetchRefused> => {
  const thrown = await fetching.then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(thrown).toBeInstanceOf(FetchRefused)
  return thrown as FetchRefused
}

describe('an allowed origin', () => {
  test('is fetched, with its type and charset', async () => {
    const server = await serve((_request, response) => {
      response.setHeader('content-type', 'Text/HTML; Charset="ISO-8859-1"').end('hello')
    })
    const fetched = await get(fetcher([server]), `${server.origin}/a?b=c#d`)
    expect(fetched).toMatchObject({ url: `${server.origin}/a?b=c#d`, mime: 'text/html', charset: 'iso-8859-1' })
    expect(Buffer.from(fetched.bytes).toString()).toBe('hello')
    expect(server.requests[0]!.url).toBe('/a?b=c')
  })

  test('is that origin alone: another port of the same host is not', async () => {
    const [allowed, canary] = [await serve(), await serve()]
    const fetch = fetcher([allowed], { ports: new Set([canary.port]) })
    expect((await refusal(get(fetch, canary.origin))).reason).toBe('address')
    expect(canary.connections).toBe(0)
  })

  test('comes from the configuration for the process', async () => {
    const server = await serve()
    const holder = globalThis as { __serviceConfig?: Config }
    const before = config()
    try {
      holder.__serviceConfig = parseConfig({ EGRESS_ALLOW_ORIGINS: server.origin, LOG_LEVEL: 'silent' })
      expect(Buffer.from((await get(safeFetch, server.origin)).bytes).toString()).toBe('canary')
      holder.__serviceConfig = parseConfig({ LOG_LEVEL: 'silent' })
      expect((await refusal(get(safeFetch, server.origin))).reason).toBe('address')
    } finally {
      holder.__serviceConfig = before
    }
    expect(server.connections).toBe(1)
  })
})

describe('a forbidden address', () => {
  test('is refused in every spelling, on any port that is open to others, without a connection', async () => {
    const canary = await serve()
    const fetch = fetcher([], { ports: new Set([canary.port]) })
    const urls = forbiddenUrls(canary.port)
    expect(urls.length).toBeGreaterThanOrEqual(60)
    for (const found of await Promise.all(urls.map((url) => refusal(get(fetch, url))))) {
      expect(found.reason).toMatch(/^(address|scheme)$/)
    }
    expect(canary.connections).toBe(0)
  })

  test('is refused as the target of a redirect of any kind', async () => {
    const canary = await serve()
    const targets = [...forbiddenUrls(canary.port), `//127.0.0.1:${canary.port}/`, `///127.1:${canary.port}/`]
    const start = await serve((request, response) => {
      const index = Number(request.url!.slice(1))
      // As bytes, which is how a hostile server would send what is no ASCII.
      const location = Buffer.from(targets[index]?.replace(/[\t\n]/g, '') ?? '').toString('latin1')
      response.writeHead(location ? [301, 302, 303, 307, 308][index % 5]! : 404, { location }).end()
    })
    const fetch = fetcher([start], { ports: new Set([canary.port]) })
    const found = await Promise.all(targets.map((_, index) => refusal(get(fetch, `${start.origin}/${index}`))))
    // `http:127.0.0.1` in an http redirect is a path of the same server, by the URL standard.
    const paths = targets.filter((target) => /^http:(?![/\\])/.test(target)).length
    expect(found.filter(({ reason }) => reason === 'status')).toHaveLength(paths)
    expect(found.filter(({ reason }) => /^(address|redirect)$/.test(reason))).toHaveLength(targets.length - paths)
    expect(canary.connections).toBe(0)
  })

  test.each(FORBIDDEN_SCHEMES)('%s is no web address, neither first nor after a redirect', async (url) => {
    const start = await serve((_request, response) => void response.writeHead(302, { location: url }).end())
    expect((await refusal(get(fetcher([start]), url))).reason).toBe('scheme')
    expect((await refusal(get(fetcher([start]), start.origin))).reason).toBe('redirect')
  })

  test.each(['http://user:password@93.184.216.34/', 'http://user@93.184.216.34/', 'http://:x@93.184.216.34/'])(
    '%s is refused for its credentials',
    async (url) => {
      expect((await refusal(get(fetcher([]), url))).reason).toBe('scheme')
    },
  )

  test.each(['22', '25', '81', '443', '6379', '8080'])('port %s is not open to everyone over http', async (port) => {
    const asked: string[] = []
    const resolve: SafeFetchSetup['resolve'] = async (hostname) => {
      asked.push(hostname)
      return []
    }
    const found = await refusal(get(fetcher([], { resolve }), `http://files.example:${port}/`))
    expect(found.reason).toBe(port === '443' ? 'unreachable' : 'address')
    expect(asked).toEqual(port === '443' ? ['files.example'] : [])
  })

  test('looks the same as a server that is not there', async () => {
    const closed = await startLocalServer()
    await closed.close()
    const fetch = fetcher([closed])
    const found = await Promise.all(
      [closed.origin, 'http://10.0.0.1/', 'http://nowhere.example/', 'not a url'].map(async (url) => {
        const startedAt = performance.now()
        const { message, cause } = await refusal(get(fetch, url))
        return { message, cause, tookMs: performance.now() - startedAt }
      }),
    )
    expect(new Set(found.map(({ message }) => message)).size).toBe(1)
    for (const { cause, tookMs } of found) {
      expect(cause).toBeUndefined()
      // Each waits at least 50 ms before it says so; load makes that longer and never shorter, and timers may be early.
      expect(tookMs).toBeGreaterThan(45)
    }
  })
})

describe('a name', () => {
  test('with one answer inside is refused, whatever the others are', async () => {
    const canary = await serve()
    const ports = new Set([canary.port])
    const inside = ['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', '::ffff:127.0.0.1', 'fe80::1', '64:ff9b::7f00:1']
    const answers = inside.flatMap((bad) => [[bad], [PUBLIC, bad], [bad, PUBLIC], ['2606:4700::1111', PUBLIC, bad]])
    const found = await Promise.all(
      answers.map((addresses) => {
        const fetch = fetcher([], { ports, resolve: names({ 'a.example': addresses }) })
        return refusal(get(fetch, `http://a.example:${canary.port}/`))
      }),
    )
    expect(new Set(found.map(({ reason }) => reason))).toEqual(new Set(['address']))
    expect(canary.connections).toBe(0)
  })

  test('is resolved once for a request, and the connection goes there', async () => {
    const server = await serve()
    let asked = 0
    const resolve: SafeFetchSetup['resolve'] = async () => {
      asked++
      return [{ address: asked === 1 ? '127.0.0.1' : '127.0.0.9', family: 4 }]
    }
    const origin = `http://rebind.example:${server.port}`
    const fetch = createSafeFetch({ resolve, allowOrigins: new Set([origin]) })
    await get(fetch, origin)
    expect(asked).toBe(1)
    expect(server.requests[0]!.rawHeaders).toContain(`rebind.example:${server.port}`)
  })

  test('that turns to an inside address between two requests is refused at the second', async () => {
    const canary = await serve((_request, response) => void response.writeHead(302, { location: '/again' }).end())
    const origin = `http://rebind.example:${canary.port}`
    let hops = 0
    // Allowed at the first look only: stands for the public server that answers first.
    const allowOrigins = { has: () => hops++ === 0 }
    const fetch = createSafeFetch({
      resolve: names({ 'rebind.example': ['127.0.0.1'] }),
      allowOrigins,
      ports: new Set([canary.port]),
    })
    expect((await refusal(get(fetch, origin))).reason).toBe('address')
    expect(canary.requests.map(({ url }) => url)).toEqual(['/'])
  })

  test('that nobody knows, or whose look-up fails, is out of reach', async () => {
    const failing = fetcher([], { resolve: () => Promise.reject(new Error('SERVFAIL')) })
    expect((await refusal(get(failing, 'http://a.example/'))).reason).toBe('unreachable')
    expect((await refusal(get(fetcher([]), 'http://a.example/'))).reason).toBe('unreachable')
  })

  test('whose look-up never ends is given up in time', async () => {
    const fetch = fetcher([], { resolve: () => new Promise(() => {}) })
    expect((await refusal(get(fetch, 'http://a.example/', { timeoutMs: 200 }))).reason).toBe('timeout')
  })
})

describe('a redirect', () => {
  const chain = (length: number) =>
    serve((request, response) => {
      const step = Number(request.url!.slice(1))
      if (step >= length) response.end('end')
      else response.writeHead(302, { location: `${step + 1}` }).end('ignored')
    })

  test('is followed, relative ones too', async () => {
    const server = await chain(3)
    const fetched = await get(fetcher([server]), `${server.origin}/0`)
    expect(fetched.url).toBe(`${server.origin}/3`)
    expect(server.connections).toBe(4)
  })

  test('one more than may be ends the fetch', async () => {
    const server = await chain(20)
    expect((await refusal(get(fetcher([server]), `${server.origin}/0`))).reason).toBe('redirect')
    expect(server.requests).toHaveLength(4)
    expect((await refusal(get(fetcher([server]), `${server.origin}/0`, { maxRedirects: 0 }))).reason).toBe('redirect')
    expect(server.requests).toHaveLength(5)
  })

  test('without a target is refused', async () => {
    const server = await serve((_request, response) => void response.writeHead(302).end())
    expect((await refusal(get(fetcher([server]), server.origin))).reason).toBe('redirect')
  })

  test('in a page or a Refresh header is not one', async () => {
    const canary = await serve()
    const page = `<meta http-equiv="refresh" content="0;url=${canary.origin}">`
    const server = await serve(
      (_request, response) => void response.setHeader('refresh', `0;url=${canary.origin}`).end(page),
    )
    await get(fetcher([server, canary]), server.origin)
    expect(canary.connections).toBe(0)
  })
})

describe('TLS', () => {
  test('asks for the name and checks it, at the address that was vetted', async () => {
    const certificate = testCertificate('secure.example')
    const server = await serve((_request, response) => void response.end('safe'), certificate)
    const resolve = names({ 'secure.example': ['127.0.0.1'], 'other.example': ['127.0.0.1'] })
    const origins = ['secure.example', 'other.example'].map((host) => `https://${host}:${server.port}`)
    const setup = { resolve, allowOrigins: new Set(origins) }
    const fetched = await get(createSafeFetch({ ...setup, ca: certificate.cert }), origins[0]!)
    expect(Buffer.from(fetched.bytes).toString()).toBe('safe')
    // Another name, and an authority that nobody knows.
    expect((await refusal(get(createSafeFetch({ ...setup, ca: certificate.cert }), origins[1]!))).reason).toBe(
      'unreachable',
    )
    expect((await refusal(get(createSafeFetch(setup), origins[0]!))).reason).toBe('unreachable')
    expect(server.requests).toHaveLength(1)
  })

  test('is never left for plain text', async () => {
    const canary = await serve()
    const certificate = testCertificate('secure.example')
    const server = await serve(
      (_request, response) => void response.writeHead(302, { location: canary.origin }).end(),
      certificate,
    )
    const origin = `https://secure.example:${server.port}`
    const fetch = createSafeFetch({
      resolve: names({ 'secure.example': ['127.0.0.1'] }),
      allowOrigins: new Set([origin, canary.origin]),
      ca: certificate.cert,
    })
    expect((await refusal(get(fetch, origin))).reason).toBe('redirect')
    expect(canary.connections).toBe(0)
  })
})

describe('what a server sees', () => {
  test('is a bare request, the same after a redirect', async () => {
    const server = await serve((request, response) => {
      if (request.url === '/end') response.end()
      else response.writeHead(302, { location: '/end', 'set-cookie': 'id=1' }).end()
    })
    process.env.HTTP_PROXY = 'http://127.0.0.1:1'
    process.env.http_proxy = 'http://127.0.0.1:1'
    try {
      await get(fetcher([server]), server.origin, { accept: 'text/html' })
    } finally {
      delete process.env.HTTP_PROXY
      delete process.env.http_proxy
    }
    expect(server.requests).toHaveLength(2)
    for (const { rawHeaders } of server.requests) {
      const seen = Object.fromEntries(
        rawHeaders.flatMap((name, index) => (index % 2 ? [] : [[name.toLowerCase(), rawHeaders[index + 1]]])),
      )
      expect(seen).toEqual({
        host: `127.0.0.1:${server.port}`,
        connection: 'close',
        'user-agent': 'Mozilla/5.0 (compatible; Lagoon)',
        accept: 'text/html',
        'accept-encoding': 'gzip, br, deflate',
      })
    }
  })
})

describe('what a server may answer', () => {
  test.each([400, 401, 404, 429, 500, 503, 304])('status %i is refused', async (status) => {
    const server = await serve((_request, response) => void response.writeHead(status).end('secret'))
    const { reason, message } = await refusal(get(fetcher([server]), server.origin))
    expect(reason).toBe('status')
    expect(message).toContain(String(status))
  })

  test('a type that is not wanted is refused before its body is read', async () => {
    let hasEnded = false
    const server = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/zip' }).write('PK')
      response.on('close', () => {
        hasEnded = true
      })
    })
    const accepts = (mime: string) => mime.startsWith('image/')
    expect((await refusal(get(fetcher([server]), server.origin, { accepts }))).reason).toBe('type')
    await expect.poll(() => hasEnded).toBe(true)
    expect(server.open()).toBe(0)
  })

  test.each([
    ['', { mime: '' }],
    ['text/plain', { mime: 'text/plain' }],
    ['TEXT/PLAIN;charset=UTF-8', { mime: 'text/plain', charset: 'utf-8' }],
    ['text/html; a=b; charset= "utf-8" ; c', { mime: 'text/html', charset: 'utf-8' }],
    ['nonsense', { mime: '' }],
    ['text/html, image/png', { mime: '' }],
    [`text/html;charset=${'x'.repeat(500)}`, { mime: 'text/html', charset: 'x'.repeat(40) }],
  ])('the type %j is read as %j', async (type, expected) => {
    const server = await serve(
      (_request, response) => void response.writeHead(200, type ? { 'content-type': type } : {}).end(),
    )
    const { mime, charset } = await get(fetcher([server]), server.origin)
    expect({ mime, ...(charset && { charset }) }).toEqual(expected)
  })
})

test('a caller who leaves ends the fetch with its own reason, and the connection with it', async () => {
  const server = await serve(() => {})
  const leaving = new AbortController()
  const fetching = get(fetcher([server]), server.origin, { signal: leaving.signal })
  await expect.poll(() => server.requests.length).toBe(1)
  leaving.abort(new Error('gone'))
  await expect(fetching).rejects.toThrow('gone')
  await expect.poll(() => server.open()).toBe(0)
  await expect(get(fetcher([server]), server.origin, { signal: leaving.signal })).rejects.toThrow('gone')
})

test('only so many run at once, and the others get their turn', async () => {
  let running = 0
  let most = 0
  const server = await serve((_request, response) => {
    most = Math.max(most, ++running)
    setTimeout(() => {
      running--
      response.end()
    }, 30)
  })
  const fetch = fetcher([server])
  await Promise.all(Array.from({ length: 150 }, () => get(fetch, server.origin)))
  expect(most).toBeLessThanOrEqual(64)
  expect(most).toBeGreaterThan(8)
  expect(server.requests).toHaveLength(150)
})
