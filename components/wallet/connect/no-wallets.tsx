import { Button } from '@/components/ui/button'
import { msg, t } from '@/lib/i18n/t'

const LISTS = [
  { words: msg('Wallets for Base'), href: 'https://ethereum.org/wallets/find-wallet/' },
  { words: msg('Wallets for Solana'), href: 'https://solana.com/wallets' },
]

/** Nothing announced itself: what a wallet is, and where to get one. */
export function NoWallets() {
  return (
    <section aria-label={t('No wallet found')} className="mt-5 rounded-card border border-line bg-surface p-4">
      <p className="font-medium">{t('No wallet found in this browser.')}</p>
      <p className="mt-1 text-ink-2">
        {t(
          'A wallet is a browser extension or app that holds your keys and funds, and asks before using them. Install one, then come back:',
        )}
      </p>
      <ul className="mt-2 flex gap-4">
        {LISTS.map(({ words, href }) => (
          <li key={href}>
            <a
              href={href}
              target="_blank"
              rel="noreferrer"
              className="inline-flex min-h-9 items-center text-accent underline underline-offset-4 pointer-coarse:min-h-11"
            >
              {t(words)}
            </a>
          </li>
        ))}
      </ul>
      <Button className="mt-3" onClick={() => window.location.reload()}>
        {t('Reload page')}
      </Button>
    </section>
  )
}
