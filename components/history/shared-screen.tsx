'use client'

import { useQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { useParams, useRouter } from 'next/navigation'
import { useState, useSyncExternalStore } from 'react'
import { TopBar } from '@/components/common/top-bar'
import { Button } from '@/components/ui/button'
import { newChat } from '@/lib/browser/commands'
import { chatHref } from '@/lib/browser/navigation'
import { modelsQuery } from '@/lib/browser/queries'
import { ApiError } from '@/lib/contract/errors'
import { t } from '@/lib/i18n/t'

const ReadOnlyThread = dynamic(
  () => import('@/components/history/read-only-thread').then((module) => module.ReadOnlyThread),
  { ssr: false },
)

export function SharedScreen() {
  const { id = '' } = useParams<{ id: string }>()
  const { push } = useRouter()
  const key = useFragment()
  const models = useQuery(modelsQuery())
  const [isKeeping, setIsKeeping] = useState(false)
  const shared = useQuery({
    // The key stays out of what the page may write down.
    queryKey: ['shared', id, key === undefined ? 'waiting' : key.length],
    queryFn: async () => (await import('@/components/history/encrypted-share')).readShared(id, key ?? ''),
    enabled: key !== undefined,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const keep = async () => {
    if (!shared.data) return
    setIsKeeping(true)
    try {
      const { keepShared } = await import('@/components/history/encrypted-share')
      push(chatHref(await keepShared(shared.data, id)))
    } catch {
      setIsKeeping(false)
    }
  }
  return (
    <>
      <TopBar>
        <p className="truncate px-2 text-14 text-ink-2">{t('Shared chat (read-only)')}</p>
      </TopBar>
      <section
        aria-label={t('Shared chat')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by keyboard
        tabIndex={0}
        className="thin-scroll min-h-0 flex-1 overflow-y-auto outline-offset-[-2px]"
      >
        {shared.isError && <Gone error={shared.error} onRetry={() => void shared.refetch()} />}
        {shared.isPending && (
          <div aria-hidden="true" className="mx-auto max-w-180 space-y-4 px-4 py-10">
            <div className="skeleton h-8 w-1/2" />
            <div className="skeleton h-4 w-full" />
            <div className="skeleton h-4 w-4/5" />
          </div>
        )}
        {shared.data && <ReadOnlyThread {...shared.data} {...(models.data && { models: models.data })} />}
      </section>
      {shared.data && (
        <div className="flex shrink-0 flex-wrap items-center justify-center gap-x-4 gap-y-2 border-t border-line px-4 py-3">
          <p className="text-13 text-ink-2">{t('Someone shared this chat with you. Not reviewed.')}</p>
          <Button kind="primary" disabled={isKeeping} onClick={() => void keep()}>
            {t('Continue in your own chats')}
          </Button>
        </div>
      )}
    </>
  )
}

function Gone({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const isOver = error instanceof ApiError && error.code === 'NOT_FOUND'
  const isWrong = !(error instanceof ApiError) && error.name === 'Error'
  return (
    <div className="flex min-h-full flex-col items-center justify-center gap-4 px-6 text-center">
      <h1 className="font-serif text-24 text-balance">
        {isOver
          ? t('This link no longer works.')
          : isWrong
            ? t('This link is incomplete.')
            : t('The chat could not be loaded.')}
      </h1>
      <p className="max-w-90 text-14 text-ink-2">
        {isOver
          ? t('Shared links expire after a set time and can be revoked earlier.')
          : isWrong
            ? t('Ask for the link again and copy all of it. The part after # is the key.')
            : t('The service could not be reached.')}
      </p>
      {isOver || isWrong ? (
        <Button onClick={newChat}>{t('New chat')}</Button>
      ) : (
        <Button kind="primary" onClick={onRetry}>
          {t('Try again')}
        </Button>
      )}
    </div>
  )
}

/** Returns the part behind `#`, which browsers do not send; `undefined` before hydration. */
function useFragment(): string | undefined {
  return useSyncExternalStore(
    (listener) => {
      window.addEventListener('hashchange', listener)
      return () => window.removeEventListener('hashchange', listener)
    },
    () => window.location.hash.slice(1),
    () => undefined,
  )
}
