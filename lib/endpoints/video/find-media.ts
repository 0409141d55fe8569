/** What of a video page says where its words or its sound are. */
export type PageMedia = { captions?: { url: string; language?: string }; video?: string }

/** A page is looked at up to here; what describes a video stands at its beginning. */
const MAX_PAGE_CHARACTERS = 2_000_000
const MAX_TAGS = 500
const TAG = /<(track|video|source|meta)\b([^>]{0,4000})>/gi
const ATTRIBUTE = /([a-z:_-]{1,40})\s*=\s*("([^"]{0,3000})"|'([^']{0,3000})')/gi
const VIDEO_META: ReadonlySet<string | undefined> = new Set(['og:video', 'og:video:url', 'og:video:secure_url'])

/** Caption tracks and film files that a page names. Addresses are made absolute; others than http(s) are left out. */
export function findMedia(html: string, pageUrl: string): PageMedia {
  const found: PageMedia = {}
  const tags = html.slice(0, MAX_PAGE_CHARACTERS).matchAll(TAG)
  let count = 0
  for (const [, name = '', text = ''] of tags) {
    if (++count > MAX_TAGS) break
    const attributes = attributesOf(text)
    const tag = name.toLowerCase()
    if (tag === 'track' && /^(captions|subtitles)$/.test(attributes.get('kind') ?? 'subtitles')) {
      const url = absolute(attributes.get('src'), pageUrl)
      if (url) found.captions ??= { url, language: attributes.get('srclang') }
    } else if (tag === 'video' || (tag === 'source' && /^video\//.test(attributes.get('type') ?? 'video/'))) {
      found.video ??= absolute(attributes.get('src'), pageUrl)
    } else if (tag === 'meta' && VIDEO_META.has(attributes.get('property'))) {
      found.video ??= absolute(attributes.get('content'), pageUrl)
    }
  }
  return found
}

/** The words of a WebVTT or SubRip file, without times, names of cues and repeated lines. */
export function captionText(file: string): string {
  const lines = file
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .map((line) => line.replace(/<[^>]{0,200}>/g, '').trim())
  const words: string[] = []
  let isCue = false
  for (const line of lines) {
    if (line.includes('-->')) isCue = true
    else if (line === '') isCue = false
    else if (isCue && words.at(-1) !== line) words.push(line)
  }
  return decoded(words.join(' '))
}

function attributesOf(text: string): Map<string, string> {
  const attributes = new Map<string, string>()
  for (const [, name = '', , double, single] of text.matchAll(ATTRIBUTE)) {
    attributes.set(name.toLowerCase(), decoded(double ?? single ?? ''))
  }
  return attributes
}

const decoded = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&nbsp;', ' ')
    .replaceAll('&amp;', '&')

function absolute(address: string | undefined, pageUrl: string): string | undefined {
  const url = address ? URL.parse(address, pageUrl) : null
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url.href : undefined
}
