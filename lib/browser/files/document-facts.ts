import { likelyTokens } from '@/lib/contract/estimates'

export type DocumentFacts = { pages?: number; tokens?: number }

/** Words are counted on the first pages of a PDF; the others are taken to have as many. */
const COUNTED_PAGES = 12
const MAX_UNPACKED = 60_000_000
const SCANNED_PAGE_TOKENS = 400
const MIN_PAGE_TOKENS = 5

const TEXT_PARTS: [type: RegExp, part: RegExp][] = [
  [/wordprocessingml/, /^word\/(document|footnotes|endnotes)\.xml$/],
  [/presentationml/, /^ppt\/(slides\/slide\d+|notesSlides\/notesSlide\d+)\.xml$/],
  [/spreadsheetml/, /^xl\/(sharedStrings|worksheets\/sheet\d+)\.xml$/],
  [/epub/, /\.x?html?$/i],
]

/**
 * Counts pages and likely tokens of a document; what cannot be told is left out.
 * @throws what its reader throws.
 */
export async function factsOfDocument(bytes: Uint8Array<ArrayBuffer>, mediaType: string): Promise<DocumentFacts> {
  if (mediaType === 'application/pdf') return await factsOfPdf(bytes)
  const textPart = TEXT_PARTS.find(([type]) => type.test(mediaType))
  if (textPart) return await factsOfArchive(bytes, textPart[1])
  if (mediaType === 'application/vnd.ms-excel') return {}
  const text = new TextDecoder().decode(bytes)
  return { tokens: likelyTokens(mediaType === 'text/html' ? withoutTags(text) : text) }
}

async function factsOfPdf(bytes: Uint8Array<ArrayBuffer>): Promise<DocumentFacts> {
  const { getDocumentProxy } = await import('unpdf')
  const pdf = await getDocumentProxy(bytes, { stopAtErrors: true })
  const counted = Math.min(pdf.numPages, COUNTED_PAGES)
  let tokens = 0
  for (let number = 1; number <= counted; number++) {
    const { items } = await (await pdf.getPage(number)).getTextContent()
    const textPart = likelyTokens(items.map((item) => ('str' in item ? item.str : '')).join(' '))
    tokens += textPart < MIN_PAGE_TOKENS ? SCANNED_PAGE_TOKENS : textPart
  }
  return { pages: pdf.numPages, tokens: Math.round((tokens / Math.max(1, counted)) * pdf.numPages) }
}

async function factsOfArchive(bytes: Uint8Array, part: RegExp): Promise<DocumentFacts> {
  const { unzipSync } = await import('fflate')
  let unpacked = 0
  const parts = unzipSync(bytes, {
    filter: ({ name, originalSize }) => {
      if (!part.test(name)) return false
      unpacked += originalSize
      return unpacked <= MAX_UNPACKED
    },
  })
  const decoder = new TextDecoder()
  const tokens = Object.values(parts).reduce((sum, xml) => sum + likelyTokens(withoutTags(decoder.decode(xml))), 0)
  const pages = /slides/.test(part.source) ? Object.keys(parts).filter((name) => name.includes('/slides/')).length : 0
  return { tokens, ...(pages > 0 && { pages }) }
}

const withoutTags = (markup: string): string => markup.replace(/<[^<>]*>/g, ' ').replace(/\s+/g, ' ')
