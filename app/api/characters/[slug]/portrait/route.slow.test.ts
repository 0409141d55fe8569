import { describe, expect, test } from 'vitest'
import { GET as portrait } from '@/app/api/characters/[slug]/portrait/route'
import { PATCH } from '@/app/api/characters/[slug]/route'
import { at, characterStage, codeOf, type Headers, made } from '@/app/api/characters/testing/stage'
import { shippedCharacters } from '@/lib/services/characters/shipped'
import { guest } from '@/lib/services/characters/testing'

await characterStage()

/** A picture that is large enough: a PNG of 80 by 80 pixels. */
async function image(): Promise<string> {
  const { default: sharp } = await import('sharp')
  const raw = { width: 80, height: 80, channels: 3, background: '#2080c0' } as const
  return `data:image/png;base64,${(await sharp({ create: raw }).png().toBuffer()).toString('base64')}`
}

async function edgesOf(response: Response): Promise<[number?, number?]> {
  const { default: sharp } = await import('sharp')
  const { width, height } = await sharp(Buffer.from(await response.arrayBuffer())).metadata()
  return [width, height]
}

describe('the portrait', () => {
  const load = (slug: string, headers: Headers = {}) => at(portrait, slug, headers)

  test('is a drawing that runs and loads nothing, for anybody', async () => {
    const response = await load('code-reviewer')
    expect(response.headers.get('content-type')).toBe('image/webp')
    expect(response.headers.get('content-security-policy')).toBe("default-src 'none'; style-src 'unsafe-inline'")
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('cache-control')).toBe('public, max-age=86400')
    expect(await edgesOf(response)).toEqual([384, 384])
    const retry = await load('code-reviewer', { 'if-none-match': response.headers.get('etag') ?? '' })
    expect([retry.status, await retry.text()]).toEqual([304, ''])
  })

  test('is the drawing itself for those who come when too many ask at once', async () => {
    const slugs = [...(await shippedCharacters()).bySlug.keys()]
    const types = await Promise.all(slugs.map(async (slug) => (await load(slug)).headers.get('content-type')))
    expect(new Set(types)).toEqual(new Set(['image/webp', 'image/svg+xml']))
    const svg = await load(slugs[types.indexOf('image/svg+xml')]!)
    expect([svg.status, svg.headers.get('content-type')]).toEqual([200, 'image/webp'])
  })

  test('of a draft is for its maker’s page only', async () => {
    const [{ headers }, other] = [await guest(), await guest()]
    const { slug } = await made(headers)
    // What a browser sends for an <img>: no origin.
    const { origin, ...page } = headers
    const asImage = { ...page, 'sec-fetch-site': 'same-origin', host: new URL(origin).host }
    const own = await load(slug, asImage)
    expect([own.status, own.headers.get('cache-control')]).toEqual([200, 'private, no-cache'])
    expect(await codeOf(await load(slug, other.headers))).toEqual([404, 'CHARACTER_NOT_FOUND'])
    expect((await load(slug)).status).toBe(404)
    await at(PATCH, slug, headers, 'PATCH', { visibility: 'published' })
    expect((await load(slug)).headers.get('cache-control')).toBe('public, max-age=300')
  })

  test('is the picture that its maker sent, made small, until it is taken away', async () => {
    const { headers } = await guest()
    const { slug, hasPicture, photoUrl } = await made(headers, { picture: await image(), visibility: 'published' })
    expect(hasPicture).toBe(true)
    expect(photoUrl).toMatch(/\/portrait\?v=[a-z0-9]+$/)
    const response = await load(slug)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/webp'])
    expect(
      Buffer.from(await response.arrayBuffer())
        .subarray(8, 12)
        .toString(),
    ).toBe('WEBP')
    const stored = await (await at(PATCH, slug, headers, 'PATCH', { greeting: 'x' })).json()
    expect(stored.data.hasPicture).toBe(true)
    const gone = await (await at(PATCH, slug, headers, 'PATCH', { picture: null })).json()
    expect(gone.data.hasPicture).toBe(false)
    expect(await edgesOf(await load(slug))).toEqual([384, 384])
  })
})
