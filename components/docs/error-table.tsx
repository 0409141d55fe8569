import { DocLink } from '@/components/docs/doc-link'
import { ShapeFields } from '@/components/docs/field-list'
import { errorCodeHref, errorSchemaHref } from '@/lib/contract/docs-addresses'
import type { DocumentedError, Homes } from '@/lib/contract/reference'

type ErrorTableProps = { errors: readonly DocumentedError[]; homes: Homes }

/** The errors of an operation by status: their codes, and the shapes of their bodies. */
export function ErrorTable({ errors, homes }: ErrorTableProps) {
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
