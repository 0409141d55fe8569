import type { Metadata } from 'next'
import { ready } from '@/app/ready'
import { Article } from '@/components/docs/article'
import { ERROR_PARTS, ErrorsReference } from '@/components/docs/errors'
import { ERRORS } from '@/lib/endpoints/docs/addresses'

export const metadata: Metadata = { title: 'Errors' }

/** Every code of an error, and the shapes that errors have. */
export default async function ErrorsPage() {
  await ready()
  return (
    <Article
      href={ERRORS}
      title="Errors"
      lead="An error is JSON with a sentence for people in `error` and a code for programs in `code`. The code never changes its meaning; the sentence may."
      headings={ERROR_PARTS}
    >
      <ErrorsReference />
    </Article>
  )
}
