import { CodeFrame } from '@/components/docs/code-frame'
import { DocHeading } from '@/components/docs/doc-heading'
import { ShapeFields } from '@/components/docs/field-list'
import { InlineText } from '@/components/docs/inline-text'
import { ERRORS, slugOf } from '@/lib/contract/docs-addresses'
import type { DocumentedCode, Heading, Homes, NamedShape } from '@/lib/contract/reference'

export const ERROR_PARTS: readonly Heading[] = [
  { id: 'what-to-do', text: 'What to do', level: 2 },
  { id: 'codes', text: 'Codes', level: 2 },
  { id: 'shapes', text: 'Shapes', level: 2 },
]

const REFUSED = `{
  "error": "Invalid request parameters",
  "code": "INVALID_REQUEST",
  "details": { "_errors": [], "temperature": { "_errors": ["must be at most 2"] } },
  "issues": [{ "code": "too_big", "path": ["temperature"], "message": "must be at most 2" }]
}`

const NEXT_STEPS = [
  ['400, 404, 413, 415, 422', 'The request is invalid; fix it before you retry. On a 400 `issues` names the field.'],
  ['401, 403', 'The credential is invalid, or does not allow this request.'],
  ['402', 'Pay as described in the reply body and in the header `PAYMENT-REQUIRED`.'],
  ['409', 'The same request is already in progress. Wait for `Retry-After`, then retry.'],
  ['429, 503', 'Wait for the number of seconds in `Retry-After`, then retry.'],
  ['500, 502, 504', 'Only delivered output of a stream is charged. Retry a few times at most.'],
] as const

type ErrorsReferenceProps = { codes: readonly DocumentedCode[]; errorShapes: readonly NamedShape[]; homes: Homes }

export function ErrorsReference({ codes, errorShapes, homes }: ErrorsReferenceProps) {
  const places = new Map([...homes, ...errorShapes.map(({ name }) => [name, `${ERRORS}#${slugOf(name)}`] as const)])
  return (
    <>
      <section aria-labelledby="what-to-do">
        <DocHeading level={2} id="what-to-do">
          What to do
        </DocHeading>
        <dl className="docs-terms docs-words">
          {NEXT_STEPS.map(([statuses, text]) => (
            <div key={statuses}>
              <dt>{statuses}</dt>
              <dd>
                <InlineText text={text} />
              </dd>
            </div>
          ))}
        </dl>
        <CodeFrame code={REFUSED} language="json" />
        <p className="docs-words mt-3 text-14 text-ink-2">
          <InlineText text="Failed requests are free. A stream that fails after its first byte ends with an event `{ error }`: [streaming](/docs/guides/streaming#when-a-stream-fails)." />
        </p>
      </section>
      <section aria-labelledby="codes">
        <DocHeading level={2} id="codes">
          Codes
        </DocHeading>
        <dl className="docs-codes docs-words">
          {codes.map(({ code, statuses, words: text }) => (
            <div key={code} id={slugOf(code)} className="scroll-mt-6">
              <dt>
                <code>{code}</code>
                <span className="text-13 text-ink-3">
                  {statuses.map(({ status, name }) => `${status} ${name}`).join(', ')}
                </span>
              </dt>
              <dd>
                <InlineText text={text} />
              </dd>
            </div>
          ))}
        </dl>
      </section>
      <section aria-labelledby="shapes">
        <DocHeading level={2} id="shapes">
          Shapes
        </DocHeading>
        {errorShapes.map(({ name, shape }) => (
          <section key={name} aria-labelledby={slugOf(name)}>
            <DocHeading level={3} id={slugOf(name)}>
              {name}
            </DocHeading>
            <ShapeFields shape={shape} homes={places} isReply />
          </section>
        ))}
      </section>
    </>
  )
}
