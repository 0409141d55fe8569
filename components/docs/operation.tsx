import { ArrowUpRight } from 'lucide-react'
import { CodeFrame, Samples } from '@/components/docs/code-frame'
import { CopyCode } from '@/components/docs/code-samples'
import { DocLink, DocSection, InlineText } from '@/components/docs/docs-text'
import { FieldList, ShapeFields } from '@/components/docs/field-list'
import {
  type Access,
  type DocumentedError,
  type DocumentedOperation,
  errorCodeHref,
  errorSchemaHref,
  type Heading,
  type Homes,
  headerHref,
  type ParameterList,
  type Sample,
  type Terms,
} from '@/lib/contract/docs'
import { language, msg, t } from '@/lib/i18n/t'

const PLACES: Record<ParameterList['place'], string> = {
  path: 'Path parameters',
  query: 'Query parameters',
  header: 'Request headers',
}

const CREDENTIALS: Record<Access, string> = {
  paid: 'An API key, or a wallet with its [proof or a payment](/docs/guides/wallets).',
  key: 'An [API key](/docs/reference#credentials) of any type.',
  admin: 'An [API key](/docs/reference#credentials) of type ADMIN.',
  wallet: 'The [proof](/docs/guides/wallets#sign-in) of the wallet in the path.',
  optional: 'None. With a key, the response omits entries that the key may not use.',
  none: 'None.',
}

const SCREENS: Readonly<Record<string, { href: string; name: string }>> = {
  Chat: { href: '/', name: msg('Try in chat') },
  Images: { href: '/studio', name: msg('Try in Studio') },
  'Crypto RPC': { href: '/rpc', name: msg('Try in Playground') },
  Characters: { href: '/characters', name: msg('View characters') },
  Wallets: { href: '/wallet', name: msg('View wallet') },
  'API keys': { href: '/keys', name: msg('View keys') },
  Billing: { href: '/usage', name: msg('View usage') },
}

export const partsOf = ({ parameters, body, replies }: DocumentedOperation): Heading[] => [
  { id: 'example', text: 'Example', level: 2 },
  ...parameters.map(({ place }): Heading => ({ id: place, text: PLACES[place], level: 2 })),
  ...(body ? [{ id: 'body', text: 'Body', level: 2 } as const] : []),
  ...(replies.length > 0 ? [{ id: 'reply', text: 'Response', level: 2 } as const] : []),
  { id: 'errors', text: 'Errors', level: 2 },
]

type OperationReferenceProps = {
  operation: DocumentedOperation
  samples: readonly Sample[]
  terms: Terms
  homes: Homes
}

export function OperationReference({ operation, samples, terms, homes }: OperationReferenceProps) {
  const { method, path, parameters, body, replies, isDeprecated, group } = operation
  const screen = SCREENS[group.name]
  return (
    <>
      <div className="docs-code mt-5 flex items-center gap-3 rounded-card border border-line bg-sunken py-1 ps-4 pe-1">
        <Method method={method} />
        <pre className="min-w-0 flex-1 font-mono text-13 break-all whitespace-pre-wrap">/api/v1{path}</pre>
        <CopyCode />
      </div>
      {isDeprecated && <p className="mt-3 text-14 text-danger">Deprecated. The replacement is named above.</p>}
      <OperationTerms access={operation.access} {...terms} />
      <DocSection id="example" title="Example">
        <Samples samples={samples} />
        {screen && (
          <p className="mt-3">
            <DocLink href={screen.href} className="docs-try">
              <bdi lang={language()}>{t(screen.name)}</bdi>
              <ArrowUpRight aria-hidden="true" className="size-4 rtl:-scale-x-100" strokeWidth={1.5} />
            </DocLink>
          </p>
        )}
      </DocSection>
      {parameters.map(({ place, fields }) => (
        <DocSection key={place} id={place} title={PLACES[place]}>
          <FieldList fields={fields} homes={homes} />
        </DocSection>
      ))}
      {body && <Body body={body} homes={homes} />}
      {replies.length > 0 && <Replies operation={operation} homes={homes} />}
      <DocSection id="errors" title="Errors">
        <ErrorTable errors={operation.errors} homes={homes} />
      </DocSection>
    </>
  )
}

function OperationTerms({ access, price, limit }: Terms & { access: Access }) {
  return (
    <dl className="docs-terms docs-words">
      {[
        ['Credentials', CREDENTIALS[access]],
        ['Price', price],
        ['Rate limit', limit],
      ].map(([name, text]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <InlineText text={text ?? ''} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

type BodyProps = { body: NonNullable<DocumentedOperation['body']>; homes: Homes }

function Body({ body: { isOptional, forms }, homes }: BodyProps) {
  return (
    <DocSection id="body" title="Body">
      {isOptional && <p className="mb-2 text-14 text-ink-2">Optional.</p>}
      {forms.map(({ type, shape, isClosed }) => (
        <div key={type} className="docs-body">
          <p className="docs-words text-14 text-ink-2">
            <code>{type}</code>
            {isClosed && ' Unknown fields are rejected.'}
          </p>
          <ShapeFields shape={shape} homes={homes} />
        </div>
      ))}
    </DocSection>
  )
}

function Replies({ operation: { replies, headers }, homes }: { operation: DocumentedOperation; homes: Homes }) {
  const files = replies.filter(({ shape, example }) => !shape && example === undefined)
  const described = replies.filter((reply) => !files.includes(reply))
  return (
    <DocSection id="reply" title="Response">
      {described.map(({ type, shape, about, example }) => (
        <div key={type} className="docs-body">
          <p className="docs-words text-14 text-ink-2">
            <code>200</code> <code>{type}</code> {about && <InlineText text={about} />}
          </p>
          {example !== undefined && <CodeFrame code={example} {...(shape && { language: 'json' })} />}
          {shape && (
            <details className="docs-inside docs-whole">
              <summary>{type === 'text/event-stream' ? 'Event fields' : 'Response fields'}</summary>
              <ShapeFields shape={shape} homes={homes} isReply />
            </details>
          )}
        </div>
      ))}
      {files.length > 0 && (
        <p className="docs-words mt-3 text-14 text-ink-2">
          <code>200</code> A file:{' '}
          {files.map(({ type }) => (
            <code key={type} className="me-1">
              {type}
            </code>
          ))}
        </p>
      )}
      <details className="docs-inside docs-whole">
        <summary>Response headers</summary>
        <ul className="docs-words flex flex-wrap gap-x-3 gap-y-1.5 py-2 text-13">
          {headers.map((name) => (
            <li key={name}>
              <DocLink href={headerHref(name)}>
                <code>{name}</code>
              </DocLink>
            </li>
          ))}
        </ul>
      </details>
    </DocSection>
  )
}

type ErrorTableProps = { errors: readonly DocumentedError[]; homes: Homes }

function ErrorTable({ errors, homes }: ErrorTableProps) {
  return (
    <ul className="docs-errors docs-words">
      {errors.map(({ status, name, codes, shared, own }) => (
        <li key={status}>
          <p className="font-mono text-13 font-semibold">{status}</p>
          <div className="min-w-0">
            <p className="text-14">{name}</p>
            <ul className="mt-1 flex flex-wrap gap-x-2 gap-y-1 text-12">
              {codes.map((code) => (
                <li key={code}>
                  <DocLink href={errorCodeHref(code)}>
                    <code>{code}</code>
                  </DocLink>
                </li>
              ))}
            </ul>
            <p className="mt-1.5 text-13 text-ink-3">
              Body:{' '}
              {shared.map((shape, at) => (
                <span key={shape}>
                  {at > 0 && ' or '}
                  <DocLink href={errorSchemaHref(shape)}>{shape}</DocLink>
                </span>
              ))}
            </p>
            {own.map(({ name: component, shape }) => (
              <details key={component} className="docs-inside">
                <summary>
                  or <code>{component}</code>
                </summary>
                <ShapeFields shape={shape} homes={homes} isReply />
              </details>
            ))}
          </div>
        </li>
      ))}
    </ul>
  )
}

function Method({ method }: { method: string }) {
  const colour = method === 'DELETE' ? 'text-danger' : method === 'GET' ? 'text-ink-3' : 'text-accent'
  return <span className={`shrink-0 font-mono text-12 font-semibold ${colour}`}>{method}</span>
}

export function OperationCards({ operations }: { operations: readonly DocumentedOperation[] }) {
  return (
    <ul className="mt-8 divide-y divide-line border-y border-line">
      {operations.map(({ href, method, path, summary, about, isDeprecated }) => (
        <li key={href} className="py-3.5">
          <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <DocLink
              href={href}
              className="text-16 font-medium hover:text-accent hover:underline hover:underline-offset-4"
            >
              {summary}
            </DocLink>
            {isDeprecated && (
              <span className="rounded-chip border border-line px-2 text-12 text-ink-3">deprecated</span>
            )}
          </p>
          <p className="mt-1 flex items-baseline gap-2 font-mono text-13 text-ink-2">
            <Method method={method} />
            <span className="min-w-0 break-all">{path}</span>
          </p>
          {about && (
            <p className="docs-words mt-1.5 max-w-140 text-14 text-ink-2">
              <InlineText text={about} />
            </p>
          )}
        </li>
      ))}
    </ul>
  )
}
