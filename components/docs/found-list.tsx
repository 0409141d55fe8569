import type { Found } from '@/lib/docs/search'
import { t } from '@/lib/i18n/t'

type FoundListProps = {
  id: string
  found: readonly Found[]
  active: string | undefined
  optionId: (href: string) => string
  onPoint: (href: string) => void
  onPick: (href: string) => void
}

/** What was found, for the arrows of the field above it. */
export function FoundList({ id, found, active, optionId, onPoint, onPick }: FoundListProps) {
  return (
    <div id={id} role="listbox" aria-label={t('Results')} lang="en">
      {found.map(({ title, place, href, snippet }) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field, which has the focus.
        // biome-ignore lint/a11y/useFocusableInteractive: as above.
        <div
          key={href}
          id={optionId(href)}
          role="option"
          aria-selected={href === active}
          onPointerMove={() => onPoint(href)}
          // The field keeps the focus.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onPick(href)}
          className="cursor-pointer rounded-control px-2 py-1.5 aria-selected:bg-hover"
        >
          <FoundWords {...{ title, place, href }} {...(snippet !== undefined && { snippet })} />
        </div>
      ))}
    </div>
  )
}

/** One place that was found. */
export function FoundWords({ title, place, snippet }: Found) {
  return (
    <>
      <span className="flex items-baseline justify-between gap-3">
        <span className="min-w-0 truncate text-14">{title}</span>
        <span className="max-w-1/2 shrink-0 truncate font-mono text-12 text-ink-3">{place}</span>
      </span>
      {snippet !== undefined && <span className="mt-0.5 line-clamp-2 block text-13 text-ink-2">{snippet}</span>}
    </>
  )
}
