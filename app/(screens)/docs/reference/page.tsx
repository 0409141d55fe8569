import type { Metadata } from 'next'
import { ready } from '@/app/page-language'
import { Article } from '@/components/docs/article'
import { Prose } from '@/components/docs/docs-text'
import { REFERENCE } from '@/lib/contract/docs'
import { referenceText } from '@/lib/endpoints/docs/guides'
import { pagesAround } from '@/lib/endpoints/docs/pages'

export function generateMetadata(): Metadata {
  return { title: referenceText().title }
}

export default async function ReferencePage() {
  await ready()
  const { title, lead, tokens, headings } = referenceText()
  return (
    <Article around={pagesAround(REFERENCE)} title={title} lead={lead} headings={headings}>
      <Prose tokens={tokens} />
    </Article>
  )
}
