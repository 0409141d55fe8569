import { msg, t } from '@/lib/i18n/t'

const STEPS = [msg('Choose a wallet'), msg('Verify your wallet'), msg('Ready')]

/** How far one has come: three dots, of which the present one is long. */
export function Progress({ place }: { place: number }) {
  return (
    <ol aria-label={t('Step {place} of {count}', { place, count: STEPS.length })} className="flex items-center gap-1.5">
      {STEPS.map((name, index) => {
        const isNow = index + 1 === place
        return (
          <li
            key={name}
            aria-current={isNow ? 'step' : undefined}
            className={`h-1.5 rounded-chip transition-[width] ${isNow ? 'w-5 bg-accent' : 'w-1.5'} ${
              index + 1 < place ? 'bg-accent' : isNow ? '' : 'bg-control'
            }`}
          >
            <span className="sr-only">{t(name)}</span>
          </li>
        )
      })}
    </ol>
  )
}
