import type { Metadata } from 'next'
import { ready } from '@/app/ready'
import { Article } from '@/components/docs/article'
import { HeadersReference } from '@/components/docs/headers'
import { HEADERS } from '@/lib/endpoints/docs/addresses'

export const metadata: Metadata = { title: 'Headers' }

/** Every header that a reply may have. */
export default async function HeadersPage() {
  await ready()
  return (
    <Article
      href={HEADERS}
      title="Headers"
      lead="What replies tell beside their bodies. The page of an operation lists those that it sends."
      headings={[]}
    >
      <HeadersReference />
    </Article>
  )
}
