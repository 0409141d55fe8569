import { InlineText } from '@/components/docs/inline-text'
import { slugOf } from '@/lib/contract/docs-addresses'
import type { DocumentedHeader } from '@/lib/contract/reference'

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
