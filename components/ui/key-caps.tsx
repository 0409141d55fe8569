import { capsOf } from '@/lib/browser/rebind-shortcut'
import type { Keys } from '@/lib/browser/shortcuts'
import { t } from '@/lib/i18n/t'

export function KeyCaps({ keys }: { keys: Keys }) {
  if (keys === '') return <span className="text-13 text-ink-3">{t('None')}</span>
  return (
    <span dir="ltr" className="inline-flex flex-wrap gap-1">
      {capsOf(keys).map((cap, index) => (
        <kbd
          // biome-ignore lint/suspicious/noArrayIndexKey: the same key may be pressed twice
          key={index}
          className="inline-flex h-6 min-w-6 items-center justify-center rounded-control border border-line bg-sunken px-1.5 font-mono text-12 text-ink-2"
        >
          {cap}
        </kbd>
      ))}
    </span>
  )
}
