import { useEffect, useRef } from 'react'
import { FoundWords } from '@/components/docs/found-words'
import type { Found } from '@/lib/contract/reference'
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
  const list = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: what the arrows are at is shown.
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [active])
  return (
    <div
      ref={list}
      id={id}
      role="listbox"
      aria-label={t('Results')}
      lang="en"
      className={`thin-scroll max-h-[min(28rem,70dvh)] overflow-y-auto ${found.length > 0 ? 'p-1.5' : ''}`}
    >
      {found.map(({ title, place, href, snippet }) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the keys are those of the field, which has the focus.
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
