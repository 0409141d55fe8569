import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { ready } from '@/app/page-language'
import { Article } from '@/components/docs/article'
import { DocLink } from '@/components/docs/docs-text'
import { OperationReference, partsOf } from '@/components/docs/operation'
import { pagesAround } from '@/lib/endpoints/docs/pages'
import { findGroup, reference } from '@/lib/endpoints/docs/reference'
import { samplesOf } from '@/lib/endpoints/docs/samples'
import { termsOf } from '@/lib/endpoints/docs/terms'

type Props = { params: Promise<{ group: string; operation: string }> }

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { summary } = await operationOf(params)
  return { title: summary }
}

export default async function OperationPage({ params }: Props) {
  const operation = await operationOf(params)
  const { href, summary, about, group } = operation
  return (
    <Article
      around={pagesAround(href)}
      title={summary}
      above={
        <DocLink href={group.href} className="docs-above">
          {group.name}
        </DocLink>
      }
      {...(about !== undefined && { lead: about })}
      headings={partsOf(operation)}
    >
      <OperationReference
        operation={operation}
        samples={samplesOf(operation)}
        terms={termsOf(operation)}
        homes={reference().homes}
      />
    </Article>
  )
}

async function operationOf(params: Props['params']) {
  await ready()
  const { group, operation } = await params
  return findGroup(group)?.operations.find(({ slug }) => slug === operation) ?? notFound()
}
