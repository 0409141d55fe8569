import { ready, titled } from '@/app/page-language'
import { DocsScroller } from '@/components/docs/article'
import { SearchResults } from '@/components/docs/search-results'
import { MAX_QUERY_CHARS, searchDocs } from '@/lib/endpoints/docs/search'
import { msg } from '@/lib/i18n/t'

type Props = { searchParams: Promise<{ q?: string | string[] }> }

const MAX_RESULTS = 60

export const generateMetadata = titled(msg('Search docs'), { robots: { index: false } })

export default async function SearchPage({ searchParams }: Props) {
  await ready()
  const { q } = await searchParams
  const query = (typeof q === 'string' ? q : '').slice(0, MAX_QUERY_CHARS)
  return (
    <DocsScroller>
      <SearchResults query={query} found={searchDocs(query, MAX_RESULTS)} />
    </DocsScroller>
  )
}
