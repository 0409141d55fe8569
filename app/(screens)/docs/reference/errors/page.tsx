import type { Metadata } from 'next'
import { ready } from '@/app/page-language'
import { Article } from '@/components/docs/article'
import { ERROR_PARTS, ErrorsReference } from '@/components/docs/errors'
import { ERRORS } from '@/lib/contract/docs'
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
      lead="Errors are JSON: `error` is a message for people, `code` a code for programs. Codes are stable; messages may change."
      headings={ERROR_PARTS}
    >
      <ErrorsReference codes={documentedCodes()} errorShapes={errorShapes} homes={homes} />
    </Article>
  )
}
