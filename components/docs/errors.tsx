import { CodeFrame } from '@/components/docs/code-frame'
import { DocSection, InlineText } from '@/components/docs/docs-text'
import { ShapeFields } from '@/components/docs/field-list'
import {
  type DocumentedCode,
  type DocumentedHeader,
  ERRORS,
  type Heading,
  type Homes,
  type NamedShape,
  slugOf,
} from '@/lib/contract/docs'

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
  ['402', 'Pay as described in the response body and in the header `PAYMENT-REQUIRED`.'],
  ['409', 'The same request is already in progress. Wait for `Retry-After`, then retry.'],
  ['429, 503', 'Wait for the number of seconds in `Retry-After`, then retry.'],
  ['500, 502, 504', 'Only delivered output of a stream is charged. Retry a few times at most.'],
] as const

type ErrorsReferenceProps = { codes: readonly DocumentedCode[]; errorShapes: readonly NamedShape[]; homes: Homes }

export function ErrorsReference({ codes, errorShapes, homes }: ErrorsReferenceProps) {
  const places = new Map([...homes, ...errorShapes.map(({ name }) => [name, `${ERRORS}#${slugOf(name)}`] as const)])
  return (
    <>
      <DocSection id="what-to-do" title="What to do">
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
      </DocSection>
      <DocSection id="codes" title="Codes">
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
      </DocSection>
      <DocSection id="shapes" title="Shapes">
        {errorShapes.map(({ name, shape }) => (
          <DocSection key={name} level={3} id={slugOf(name)} title={name}>
            <ShapeFields shape={shape} homes={places} isReply />
          </DocSection>
        ))}
      </DocSection>
    </>
  )
}

export function HeadersReference({ headers }: { headers: readonly DocumentedHeader[] }) {
  return (
    <dl className="docs-codes docs-words mt-8">
      {headers.map(({ name, type, about }) => (
        <div key={name} id={slugOf(name)} className="scroll-mt-6">
          <dt>
            <code>{name}</code>
            <span className="text-13 text-ink-3">{type}</span>
          </dt>
          <dd>
            <InlineText text={about} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
