import type { FormFiles } from '@/e2e/servers/fuzz/forms'
import { MODELS_OF } from '@/e2e/servers/fuzz/models'
import type { Operation } from '@/e2e/servers/fuzz/operations'
import type { Fitting } from '@/e2e/servers/fuzz/requests'
import type { Hints } from '@/e2e/servers/fuzz/values'
import { dataUrl, type LocalSite } from '@/e2e/testing/local-site'
import type { Place } from '@/lib/endpoints/docs/openapi/testing-check'
import { writeWav } from '@/lib/services/media/wav'

/** What there is on the stage that a request may name. Those that are to be used up are asked for with `delete` and `complete`. */
export type Props = {
  site: LocalSite
  picture: Buffer
  songs: string[]
  films: string[]
  songsToEnd: string[]
  filmsToEnd: string[]
  keyId: string
  keysToEnd: string[]
  address: string
  slug: string
}

/** Nobody's. */
const UNKNOWN_ID = '5b1f4b8e-6f0a-4a0e-9d0b-3c1f5d2a7e11'
const RATE = 16_000
const SPEECH = { name: 'speech.wav', type: 'audio/wav', bytes: Buffer.from(writeWav(tone(0.2), RATE)) }

function tone(seconds: number): Float32Array<ArrayBuffer> {
  return Float32Array.from({ length: seconds * RATE }, (_, at) => 0.5 * Math.sin(at / 6))
}

/** Files for forms: such as are not what they should be, beside the ones that fit. */
const oddFiles = (picture: Buffer): FormFiles => [
  { name: 'cut.png', type: 'image/png', bytes: picture.subarray(0, 60) },
  { name: 'note.txt', type: 'text/plain', bytes: Buffer.from('High water is at nine.') },
  { name: 'empty', type: 'application/octet-stream', bytes: Buffer.alloc(0) },
]

/** What the operations take beyond what their schemas can say. Nothing of it leads off this machine. */
export function fittings(props: Props): (operation: Operation) => Fitting {
  const { site, picture, address, slug, keyId } = props
  const drawing = { name: 'picture.png', type: 'image/png', bytes: picture }
  const pictureUrl = dataUrl('image/png', picture)
  const common: Hints = {
    character_slug: [slug, 'nobody'],
    slug: [slug, 'nobody'],
    voice: ['Ada', 'Ben', 'nobody'],
    walletAddress: [address, address, '0x1111111111111111111111111111111111111111'],
    address: [address],
    file_data: [dataUrl('text/plain', 'High water is at nine.')],
    data: [SPEECH.bytes.toString('base64')],
    network: ['base-mainnet', 'base-mainnet', 'base-mainnet', 'ethereum-mainnet', 'starknet-sepolia', 'nowhere'],
    method: ['eth_blockNumber', 'eth_getBalance', 'eth_chainId', 'eth_subscribe'],
    expiresAt: ['2099-12-31', '', '2099-12-31T10:00:00Z', '2020-01-01'],
    ...dated(['startTimestamp', 'startDate', 'endTimestamp', 'endDate']),
  }
  const pictures: Hints = {
    image: [picture.toString('base64'), picture.toString('base64'), pictureUrl, '!!!'],
    aspect_ratio: ['auto', '1:1', '21:9'],
    resolution: ['1K', '2K'],
    scale: [2, 4, '2'],
    creativity: [0.5, '0.5'],
  }
  const edits = { ...pictures, images: [[picture.toString('base64')], [pictureUrl, pictureUrl]] }
  const films = fieldsOf(['image_url', 'end_image_url', 'audio_url', 'video_url'], [`${site.origin}/none`, pictureUrl])
  const byPath: Record<string, Hints> = {
    '/chat/completions': { url: [pictureUrl, `${site.origin}/picture.png`] },
    '/responses': { image_url: [pictureUrl], file_url: [`${site.origin}/note.txt`] },
    '/image/generate': { style_preset: ['Anime'], aspect_ratio: ['1:1', '16:9'] },
    '/image/edit': edits,
    '/image/multi-edit': edits,
    '/image/upscale': pictures,
    '/image/background-remove': { ...pictures, image_url: [`${site.origin}/picture.png`] },
    '/audio/queue': { prompt: ['High water is at nine.'], duration_seconds: [10, 30, '60'] },
    '/audio/quote': { duration_seconds: [10, 30, '60'] },
    '/audio/retrieve': { queue_id: [...props.songs, UNKNOWN_ID] },
    '/audio/complete': { queue_id: [...props.songsToEnd, UNKNOWN_ID] },
    '/video/queue': { ...films, duration: ['4s', '5s'] },
    '/video/quote': { ...films, duration: ['4s', '5s'] },
    '/video/retrieve': { queue_id: [...props.films, UNKNOWN_ID] },
    '/video/complete': { queue_id: [...props.filmsToEnd, UNKNOWN_ID] },
    '/video/transcriptions': { url: [`${site.origin}/film`, `${site.origin}/tides`, `${site.origin}/none`] },
    '/models/{id}': { id: MODELS_OF['/models/{id}']! },
    '/api_keys': { id: [keyId] },
    '/api_keys/{id}': { id: [keyId, UNKNOWN_ID] },
  }
  const byPlace: Partial<Record<Place, Hints>> = { 'DELETE /api_keys': { id: props.keysToEnd } }
  return ({ path, place }) => {
    const models = MODELS_OF[path] ?? ['default']
    const right = path.startsWith('/audio') ? SPEECH : drawing
    return {
      files: [right, right, right, right, ...oddFiles(picture), SPEECH, drawing],
      hints: { ...common, model: models, modelId: models, ...byPath[path], ...byPlace[place] },
    }
  }
}

const fieldsOf = (names: string[], values: readonly unknown[]): Hints =>
  Object.fromEntries(names.map((name) => [name, values]))

/** Days and moments, the first of each before the second. */
const dated = (names: string[]): Hints =>
  Object.fromEntries(
    names.map((name) => {
      const day = name.startsWith('start') ? '2026-01-02' : '2026-01-30'
      return [name, [day, `${day}T10:00:00Z`, `${day}T10:00:00.123Z`]]
    }),
  )

/** An example of the document with what there is here in place of what stands there and is nobody's. */
export function atHome<T>(example: T, hints: Hints, site: LocalSite): T {
  return JSON.parse(JSON.stringify(example), (name, value: unknown) => {
    const [hint] = hints[name] ?? []
    if (hint !== undefined && typeof hint === typeof value) return hint
    return typeof value === 'string' ? value.replace(/^https?:\/\/[^/]+/, site.origin) : value
  })
}
