import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { ready } from '@/app/page-language'
import { Article } from '@/components/docs/article'
import { OperationCards } from '@/components/docs/operation'
import { pagesAround } from '@/lib/endpoints/docs/pages'
import { findGroup } from '@/lib/endpoints/docs/reference'

type Props = { params: Promise<{ group: string }> }

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { name } = await groupOf(params)
  return { title: name }
}

export default async function GroupPage({ params }: Props) {
  const { href, name, about, operations } = await groupOf(params)
  return (
    <Article around={pagesAround(href)} title={name} lead={about} headings={[]}>
      <OperationCards operations={operations} />
    </Article>
  )
}

async function groupOf(params: Props['params']) {
  await ready()
  return findGroup((await params).group) ?? notFound()
}
