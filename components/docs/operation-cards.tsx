import { DocLink } from '@/components/docs/doc-link'
import { InlineText } from '@/components/docs/inline-text'
import { Method } from '@/components/docs/method'
import type { DocumentedOperation } from '@/lib/contract/reference'

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
