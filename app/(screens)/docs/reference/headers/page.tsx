import type { Metadata } from 'next'
import { ready } from '@/app/page-language'
import { Article } from '@/components/docs/article'
import { HeadersReference } from '@/components/docs/errors'
import { HEADERS } from '@/lib/contract/docs'
import { pagesAround } from '@/lib/endpoints/docs/pages'
import { documentedHeaders } from '@/lib/endpoints/docs/reference'

export const metadata: Metadata = { title: 'Headers' }

export default async function HeadersPage() {
  await ready()
  return (
    <Article
      around={pagesAround(HEADERS)}
      title="Headers"
      lead="Response headers. The page of each operation lists the headers that it sends."
      headings={[]}
    >
      <HeadersReference headers={documentedHeaders()} />
    </Article>
  )
}
