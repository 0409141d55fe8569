import { Samples } from '@/components/docs/code-frame'
import { CopyCode } from '@/components/docs/code-samples'
import { DocLink, DocSection, InlineText } from '@/components/docs/docs-text'
import { type DocumentedOperation, guideHref, OPENAPI_FILES, REFERENCE, type Sample } from '@/lib/contract/docs'

type OverviewProps = {
  baseUrl: string
  samples: readonly Sample[]
  guides: readonly { slug: string; title: string; lead: string }[]
  groups: readonly { href: string; name: string; about: string; operations: readonly DocumentedOperation[] }[]
}

export function Overview({ baseUrl, samples, guides, groups }: OverviewProps) {
  return (
    <>
      <DocSection id="first-call" title="First request">
        <p className="docs-words mb-3 text-16 text-ink-2">
          <InlineText text="Base URL:" />
        </p>
        <div className="docs-code mb-4 flex items-center rounded-card border border-line bg-sunken py-1 ps-4 pe-1">
          <pre className="min-w-0 flex-1 font-mono text-14 break-all whitespace-pre-wrap">{baseUrl}</pre>
          <CopyCode />
        </div>
        <p className="docs-words mb-3 text-16 text-ink-2">
          <InlineText text="Create a key at [API keys](/keys), set it as `API_KEY`, then send a request:" />
        </p>
        <Samples samples={samples} />
        <p className="docs-words mt-3 text-16 text-ink-2">
          <InlineText text="Without an account, a [wallet](/docs/guides/wallets) pays for each request." />
        </p>
      </DocSection>
      <DocSection id="guides" title="Guides">
        <ul className="docs-cards">
          {guides.map(({ slug, title, lead }) => (
            <li key={slug}>
              <DocLink href={guideHref(slug)}>{title}</DocLink>
              <p>
                <InlineText text={lead} />
              </p>
            </li>
          ))}
        </ul>
      </DocSection>
      <DocSection id="reference" title="API reference">
        <p className="docs-words mb-4 text-14 text-ink-2">
          <InlineText
            text={`Generated from the schemas that validate requests. Start with [how the API works](${REFERENCE}). Machine-readable: [OpenAPI 3.1 as YAML](${OPENAPI_FILES.yaml}), [as JSON](${OPENAPI_FILES.json}), [llms.txt](/llms.txt).`}
          />
        </p>
        <ul className="docs-groups">
          {groups.map(({ href, name, about, operations }) => (
            <li key={href}>
              <p className="font-medium">
                <DocLink href={href}>{name}</DocLink>
              </p>
              <p className="text-14 text-ink-2">{about}</p>
              <OperationLinks operations={operations} />
            </li>
          ))}
        </ul>
      </DocSection>
    </>
  )
}

function OperationLinks({ operations }: { operations: readonly DocumentedOperation[] }) {
  return (
    <ul className="mt-1.5 flex flex-wrap gap-x-4 gap-y-1 text-13">
      {operations.map(({ href, summary }) => (
        <li key={href}>
          <DocLink href={href} className="text-ink-2 hover:text-accent hover:underline hover:underline-offset-4">
            {summary}
          </DocLink>
        </li>
      ))}
    </ul>
  )
}
