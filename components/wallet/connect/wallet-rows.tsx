import type { WalletOffer } from '@/components/wallet/connect/offers'
import type { Chosen } from '@/components/wallet/connect/use-wallet-steps'
import { WalletIcon } from '@/components/wallet/connect/wallet-icon'
import { CHAIN_NAME } from '@/lib/browser/format/address'
import { t } from '@/lib/i18n/t'

const FRAME = 'divide-y divide-line overflow-hidden rounded-card border border-line bg-surface'
const ROW = 'flex min-h-14 w-full items-center gap-3 px-3 py-2 text-start'

type WalletRowsProps = { offers: WalletOffer[]; onChoose: (chosen: Chosen) => void }

/** One row for each wallet. One that speaks both families asks on which chain. */
export function WalletRows({ offers, onChoose }: WalletRowsProps) {
  return (
    <ul className={FRAME}>
      {offers.map((offer) => (
        <li key={offer.name}>
          <Row offer={offer} onChoose={onChoose} />
        </li>
      ))}
    </ul>
  )
}

type RowProps = { offer: WalletOffer; onChoose: WalletRowsProps['onChoose'] }

function Row({ offer: { name, icon, ways, isRecent }, onChoose }: RowProps) {
  const [only, ...others] = ways
  if (!only) return null
  const label = (
    <>
      <WalletIcon icon={icon} />
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium">{name}</span>
        {isRecent && (
          // The list is in this order anyway; in the name of a button it would only be in the way.
          <span aria-hidden="true" className="block text-12 text-ink-3">
            {t('Last used')}
          </span>
        )}
      </span>
    </>
  )
  if (others.length === 0) {
    return (
      <button
        type="button"
        onClick={() => onChoose({ name, icon, way: only })}
        className={`${ROW} transition-colors hover:bg-hover focus-visible:-outline-offset-2`}
      >
        <span className="sr-only">
          {t('Connect {wallet} on {chain}', { wallet: name, chain: CHAIN_NAME[only.family] })}
        </span>
        <span aria-hidden="true" className="contents">
          {label}
          <span className="text-13 text-ink-3">{CHAIN_NAME[only.family]}</span>
        </span>
      </button>
    )
  }
  return (
    <div className={ROW}>
      {label}
      {ways.map((way) => (
        <button
          key={way.family}
          type="button"
          aria-label={t('Connect {wallet} on {chain}', { wallet: name, chain: CHAIN_NAME[way.family] })}
          onClick={() => onChoose({ name, icon, way })}
          className="min-h-9 rounded-control border border-line px-3 text-13 transition-colors hover:border-control hover:bg-hover pointer-coarse:min-h-11"
        >
          {CHAIN_NAME[way.family]}
        </button>
      ))}
    </div>
  )
}

/** The list before it is known. */
export function WalletRowsSkeleton() {
  return (
    <div aria-busy="true" className="mt-5">
      <p className="pb-2 text-12 font-medium text-ink-3">{t('Detecting wallets')}</p>
      <div aria-hidden="true" className={FRAME}>
        {['w-24', 'w-32', 'w-20'].map((width) => (
          <div key={width} className={ROW}>
            <span className="skeleton size-9 shrink-0" />
            <span className={`skeleton h-4 ${width}`} />
          </div>
        ))}
      </div>
    </div>
  )
}
