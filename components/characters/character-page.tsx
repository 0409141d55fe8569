'use client'

import { useQuery } from '@tanstack/react-query'
import { ArrowLeft, Download, Globe } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { Greeting } from '@/components/characters/chat-parts'
import { keepState, START } from '@/components/characters/gallery-filters'
import { Portrait } from '@/components/characters/portrait'
import { Reviews } from '@/components/characters/reviews'
import { TopBar } from '@/components/common/top-bar'
import { Button } from '@/components/ui/button'
import { Sentence } from '@/components/ui/sentence'
import { StarButton } from '@/components/ui/star-button'
import { showToast } from '@/components/ui/toast'
import { ensureSession } from '@/lib/browser/account-gate'
import { errorOf } from '@/lib/browser/api'
import { pathOf, portraitPath, profileQuery, refOf } from '@/lib/browser/characters'
import { useDocumentTitle } from '@/lib/browser/document-title'
import { formatPrice } from '@/lib/browser/format/cost'
import { chosenModel, type ModelCard } from '@/lib/browser/models'
import { usePreference } from '@/lib/browser/preferences'
import { modelsQuery, queryClient } from '@/lib/browser/queries'
import { fileNameOf, saveFile } from '@/lib/browser/save-file'
import { startWithCharacter } from '@/lib/browser/start-character-chat'
import { useFavourites } from '@/lib/browser/storage/favourites'
import type { Character, CharacterProfile } from '@/lib/contract/characters/character.schema'
import { ApiError } from '@/lib/contract/errors'
import { SERVICE_NAME } from '@/lib/contract/service-name'
import { formatNumber, msg, plural, t } from '@/lib/i18n/t'

export function CharacterPage({ slug }: { slug: string }) {
  const profile = useQuery(profileQuery(slug))
  const { push } = useRouter()
  useDocumentTitle(profile.data?.name)
  return (
    <>
      <TopBar>
        <Button kind="plain" onClick={() => push('/characters')}>
          <ArrowLeft aria-hidden="true" className="size-4 rtl:-scale-x-100" strokeWidth={1.5} />
          {t('All characters')}
        </Button>
      </TopBar>
      <div className="thin-scroll min-h-0 flex-1 overflow-y-auto overscroll-contain">
        <div className="mx-auto w-full max-w-200 px-4 pt-8 pb-16 md:px-8 md:pt-12">
          {profile.isPending && <Skeleton />}
          {profile.isError && <Missing error={profile.error} onRetry={() => void profile.refetch()} />}
          {profile.data && <Profile profile={profile.data} />}
        </div>
      </div>
    </>
  )
}

function Profile({ profile }: { profile: CharacterProfile }) {
  const { name, author, isShipped, description, tags, adult, webEnabled, greeting, openers } = profile
  return (
    <>
      <div className="flex flex-col gap-6 sm:flex-row sm:items-start md:gap-8">
        <Portrait
          character={refOf(profile)}
          src={portraitPath(profile)}
          className="aspect-square w-36 shrink-0 rounded-composer border border-line sm:w-52"
          isEager
        />
        <div className="min-w-0 flex-1">
          <h1
            dir="auto"
            className="font-serif text-[2rem] leading-9 font-[440] tracking-[-0.015em] text-balance wrap-anywhere md:text-40"
          >
            {name}
          </h1>
          <p className="mt-1 text-13 text-ink-3">
            <Sentence
              text={adult ? msg('by <author/> · for adults') : msg('by <author/>')}
              parts={{ author: () => (isShipped ? SERVICE_NAME : <span className="font-mono">{author}</span>) }}
            />
          </p>
          {description && (
            <p dir="auto" className="mt-3 text-16 wrap-anywhere whitespace-pre-line text-ink-2">
              {description}
            </p>
          )}
          <p className="mt-3 flex flex-wrap items-center gap-x-4 gap-y-1 text-13 text-ink-2">
            <Rating profile={profile} />
            <span className="inline-flex items-center gap-1.5">
              <Globe aria-hidden="true" className="size-3.5 text-ink-3" strokeWidth={1.5} />
              {webEnabled ? t('Uses web search') : t('No web search by default')}
            </span>
          </p>
          {tags.length > 0 && (
            <ul aria-label={t('Tags')} className="mt-3 flex flex-wrap gap-1.5">
              {tags.map((tag) => (
                <Tag key={tag} tag={tag} />
              ))}
            </ul>
          )}
        </div>
      </div>
      <div className="mt-6 space-y-5">
        <Actions profile={profile} />
        <ModelLine presetId={profile.presetModelId} />
        {greeting && <Greeting text={greeting} />}
        <Openers profile={profile} openers={openers} />
        <p className="border-t border-line pt-4 text-13 text-ink-3">
          {t('This character is fictional and played by a model. Answers can be wrong and are not advice.')}
        </p>
      </div>
      <Reviews profile={profile} />
    </>
  )
}

function Tag({ tag }: { tag: string }) {
  const { push } = useRouter()
  const open = () => {
    keepState({ ...START, tag })
    push('/characters')
  }
  return (
    <li>
      <button
        type="button"
        dir="auto"
        onClick={open}
        className="inline-flex min-h-6 items-center rounded-chip bg-sunken px-2.5 text-12 text-ink-2 hover:bg-hover hover:text-ink pointer-coarse:min-h-11 pointer-coarse:px-4"
      >
        {tag}
      </button>
    </li>
  )
}

const ONE_DIGIT = { minimumFractionDigits: 1, maximumFractionDigits: 1 }

function Rating({ profile: { stats } }: { profile: CharacterProfile }) {
  if (stats.ratingCount === 0) return <span>{t('No ratings yet')}</span>
  return (
    <span>
      <span aria-hidden="true" className="text-accent">
        ★{' '}
      </span>
      {plural(
        stats.ratingCount,
        { one: '{average} out of 5 ({count} rating)', other: '{average} out of 5 ({count} ratings)' },
        { average: formatNumber(stats.averageRating, ONE_DIGIT) },
      )}
    </span>
  )
}

function Actions({ profile }: { profile: CharacterProfile }) {
  const favourites = useFavourites('character')
  const isStarred = favourites.has(profile.slug)
  const { isStarting, start } = useStart(profile)
  return (
    <div className="flex flex-wrap gap-2">
      <Button kind="primary" disabled={isStarting} onClick={() => start()}>
        {t('Start chat')}
      </Button>
      <StarButton name={profile.name} isStarred={isStarred} onStar={() => favourites.toggle(profile.slug)} />
      <Button onClick={() => void exportPublic(profile)}>
        <Download aria-hidden="true" className="size-4" strokeWidth={1.5} />
        {t('Export card')}
      </Button>
    </div>
  )
}

function Openers({ profile, openers }: { profile: CharacterProfile; openers: string[] }) {
  const { isStarting, start } = useStart(profile)
  if (openers.length === 0) return null
  return (
    <section aria-labelledby="openers">
      <h2 id="openers" className="text-13 font-medium text-ink-3">
        {t('Conversation starters')}
      </h2>
      <ul className="mt-2 space-y-2">
        {openers.map((opener) => (
          <li key={opener}>
            <button
              type="button"
              disabled={isStarting}
              dir="auto"
              onClick={() => start(opener)}
              className="min-h-11 w-full rounded-card border border-line bg-surface px-4 py-2.5 text-start text-14 wrap-anywhere whitespace-pre-wrap hover:border-control"
            >
              {opener}
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

function useStart(profile: CharacterProfile) {
  const [isStarting, setIsStarting] = useState(false)
  const start = (opener?: string) => {
    setIsStarting(true)
    startWithCharacter(refOf(profile), opener)
      .catch(() => showToast({ text: t('The chat could not be started. Try again.') }))
      .finally(() => setIsStarting(false))
  }
  return { isStarting, start }
}

function Missing({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const { push } = useRouter()
  const isGone = error instanceof ApiError && (error.code === 'CHARACTER_NOT_FOUND' || error.code === 'NOT_FOUND')
  const message = navigator.onLine ? t('The service could not be reached.') : t('You’re offline.')
  return (
    <div role="alert" className="space-y-4">
      <h1 className="font-serif text-24 text-balance">
        {isGone ? t('Character not found.') : t('This page could not be loaded.')}
      </h1>
      <p className="text-14 text-ink-2">
        {isGone ? t('The creator may have removed the character, or the address is wrong.') : message}
      </p>
      {isGone ? (
        <Button onClick={() => push('/characters')}>{t('Show all characters')}</Button>
      ) : (
        <Button onClick={onRetry}>{t('Try again')}</Button>
      )}
    </div>
  )
}

function Skeleton() {
  return (
    <div aria-hidden="true" className="flex flex-col gap-6 sm:flex-row md:gap-8">
      <div className="skeleton aspect-square w-36 shrink-0 rounded-composer sm:w-52" />
      <div className="flex-1 space-y-4">
        <div className="skeleton h-9 w-64 max-w-full" />
        <div className="skeleton h-4 w-24" />
        <div className="skeleton h-4 w-full" />
        <div className="skeleton h-4 w-4/5" />
      </div>
    </div>
  )
}

async function exportPublic({ slug, name }: Pick<Character, 'slug' | 'name'>): Promise<void> {
  try {
    await ensureSession(queryClient(), t('To export this card'))
    const response = await fetch(`${pathOf(slug)}/export?format=png`)
    if (!response.ok) throw await errorOf(response)
    saveFile(fileNameOf(name, 'png', 'character'), await response.blob())
  } catch (error) {
    // The dialog that signs in was closed: the person knows.
    if (error instanceof ApiError && error.code === 'UNAUTHORIZED') return
    showToast({ text: t('The card could not be loaded. Try again.') })
  }
}

function ModelLine({ presetId }: { presetId: string | null }) {
  const models = useQuery(modelsQuery())
  const [wanted] = usePreference('model')
  if (models.isPending) return <div aria-hidden="true" className="skeleton h-4.5 w-72 max-w-full" />
  const preset = models.data?.find(({ id, isOffline }) => id === presetId && !isOffline)
  const model = preset ?? chosenModel(models.data ?? [], wanted)
  if (!model) return null
  return (
    <p className="text-13 text-ink-2">
      {preset
        ? t('Recommended model: {model}.', { model: model.name })
        : t('Your chat starts with {model}, your current model.', { model: model.name })}{' '}
      {priceText(model)} {t('Starting a chat is free. You can switch models at any time.')}
    </p>
  )
}

function priceText({ price }: ModelCard): string {
  if (!price) return t('Price: free.')
  return t('Price per million tokens: {input} input, {output} output.', {
    input: formatPrice(price.input),
    output: formatPrice(price.output),
  })
}
