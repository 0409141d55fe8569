/** Where pages say when they were published, the most reliable first. */
const META = [
  'meta[property="article:published_time"]',
  'meta[itemprop="datePublished"]',
  'meta[name="date" i]',
  'meta[name="pubdate" i]',
  'meta[name="publish-date" i]',
  'meta[name="dc.date" i]',
  'meta[name="dc.date.issued" i]',
  'meta[name="dcterms.created" i]',
  'meta[property="og:published_time"]',
]
const LINKED_DATA = /"datePublished"\s*:\s*"([^"]{8,40})"/
const MOST_LINKED_DATA_CHARS = 200_000
const EARLIEST_YEAR = 1990

/** The day a page was published, as `2026-07-18`; empty where it does not say. */
export function pageDate(document: Document): string {
  for (const selector of META) {
    const day = isoDay(document.querySelector(selector)?.getAttribute('content'))
    if (day !== '') return day
  }
  for (const script of document.querySelectorAll('script[type="application/ld+json"]')) {
    const day = isoDay(LINKED_DATA.exec((script.textContent ?? '').slice(0, MOST_LINKED_DATA_CHARS))?.[1])
    if (day !== '') return day
  }
  const time = document.querySelector(
    'time[itemprop="datePublished"],time[pubdate],article time[datetime],time[datetime]',
  )
  return isoDay(time?.getAttribute('datetime'))
}

function isoDay(value: string | null | undefined): string {
  const text = value?.trim().slice(0, 40) ?? ''
  const own = /^(\d{4}-\d{2}-\d{2})(?!\d)/.exec(text)?.[1]
  const at = Date.parse(own ?? text)
  if (text === '' || Number.isNaN(at)) return ''
  const day = new Date(at).toISOString().slice(0, 10)
  return Number(day.slice(0, 4)) >= EARLIEST_YEAR && day.length === 10 ? day : ''
}
