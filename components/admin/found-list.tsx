import { Button } from '@/components/ui/button'
import type { FoundServer, ProviderPreset } from '@/lib/contract/providers'
import { plural, t } from '@/lib/i18n/t'

type FoundListProps = { found: FoundServer[]; presets: ProviderPreset[]; onConnect: (server: FoundServer) => void }

/** Model servers of this machine, each with a button to connect it. */
export function FoundList({ found, presets, onConnect }: FoundListProps) {
  return (
    <ul className="divide-y divide-line">
      {found.map((server) => {
        const name = presets.find(({ id }) => id === server.preset)?.name ?? server.preset
        return (
          <li key={server.address} className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3 text-14">
            <div className="min-w-48 flex-1">
              <p className="font-medium">{name}</p>
              <p className="text-13 text-ink-3">
                <span dir="ltr" className="font-mono wrap-anywhere">
                  {server.address}
                </span>
                {' · '}
                {plural(server.models, { one: '{count} model', other: '{count} models' })}
              </p>
              {server.isInUse && (
                <p className="text-13 text-ink-2">{t('In use, free of charge. Connect the server to set prices.')}</p>
              )}
            </div>
            <Button aria-label={t('Connect {name}', { name })} onClick={() => onConnect(server)}>
              {t('Connect')}
            </Button>
          </li>
        )
      })}
    </ul>
  )
}
