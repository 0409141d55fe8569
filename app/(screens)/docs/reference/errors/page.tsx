import type { Metadata } from 'next'
import { ready } from '@/app/ready'
import { Article } from '@/components/docs/article'
import { ERROR_PARTS, ErrorsReference } from '@/components/docs/errors'
import { ERRORS } from '@/lib/contract/docs-addresses'
import { documentedCodes } from '@/lib/endpoints/docs/error-words'
import { pagesAround } from '@/lib/endpoints/docs/pages'
import { reference } from '@/lib/endpoints/docs/reference'

export const metadata: Metadata = { title: 'Errors' }

export default async function ErrorsPage() {
  await ready()
  const { errorShapes, homes } = reference()
  return (
    <Article
      around={pagesAround(ERRORS)}
      title="Errors"
      lead="An error is JSON with a sentence for people in `error` and a code for programs in `code`. The code never changes its meaning; the sentence may."
      headings={ERROR_PARTS}
    >
      <ErrorsReference codes={documentedCodes()} errorShapes={errorShapes} homes={homes} />
    </Article>
  )
}
