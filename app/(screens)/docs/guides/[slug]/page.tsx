import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { ready } from '@/app/page-language'
import { Article } from '@/components/docs/article'
import { Prose } from '@/components/docs/docs-text'
import { guideHref } from '@/lib/contract/docs'
import { findGuide } from '@/lib/endpoints/docs/guides'
import { pagesAround } from '@/lib/endpoints/docs/pages'

type Props = { params: Promise<{ slug: string }> }

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { title } = await guideOf(params)
  return { title }
}

export default async function GuidePage({ params }: Props) {
  const { slug, title, lead, tokens, headings } = await guideOf(params)
  return (
    <Article around={pagesAround(guideHref(slug))} title={title} lead={lead} headings={headings}>
      <Prose tokens={tokens} />
    </Article>
  )
}

async function guideOf(params: Props['params']) {
  await ready()
  return findGuide((await params).slug) ?? notFound()
}
