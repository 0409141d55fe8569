'use client'

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Star } from 'lucide-react'
import { type SubmitEvent, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Alert } from '@/components/ui/notice'
import { RetryLine } from '@/components/ui/section'
import { ensureSession } from '@/lib/browser/account-gate'
import { errorOf } from '@/lib/browser/api'
import { pathOf, reviewsQuery } from '@/lib/browser/characters'
import { queryClient } from '@/lib/browser/queries'
import { LIMITS } from '@/lib/contract/characters/character'
import type { CharacterProfile, CharacterReview } from '@/lib/contract/characters/character.schema'
import { formatDate, plural, t } from '@/lib/i18n/t'

const STARS = [1, 2, 3, 4, 5]

export function Reviews({ profile }: { profile: CharacterProfile }) {
  const reviews = useQuery(reviewsQuery(profile.slug))
  const own = reviews.data?.data.find(({ isOwner }) => isOwner)
  return (
    <section aria-labelledby="ratings" className="mt-10">
      <h2 id="ratings" className="font-serif text-24">
        {t('Ratings')}
      </h2>
      {reviews.isSuccess && !profile.isOwn && <RateForm key={own?.id ?? 'new'} profile={profile} own={own} />}
      {reviews.isPending && <div aria-hidden="true" className="skeleton mt-4 h-4 w-48" />}
      {reviews.isError && (
        <div className="mt-3">
          <RetryLine text={t('The ratings could not be loaded.')} onRetry={() => void reviews.refetch()} />
        </div>
      )}
      {reviews.data?.total === 0 && <p className="mt-4 text-14 text-ink-3">{t('No ratings yet.')}</p>}
      <ul className="mt-4 divide-y divide-line">
        {reviews.data?.data.map((review) => (
          <Review key={review.id} review={review} />
        ))}
      </ul>
    </section>
  )
}

function Review({ review: { rating, message, username, createdAt, isOwner } }: { review: CharacterReview }) {
  return (
    <li className="py-3">
      <p className="flex flex-wrap items-baseline gap-x-3 text-13 text-ink-3">
        <span className="text-14 text-accent">
          <span aria-hidden="true">{'★'.repeat(rating)}</span>
          <span className="sr-only">{t('{rating} out of 5', { rating })}</span>
        </span>
        <span className="font-mono">{isOwner ? t('you') : username}</span>
        <time dateTime={createdAt}>{formatDate(Date.parse(createdAt), { dateStyle: 'medium' })}</time>
      </p>
      {message && (
        <p dir="auto" className="mt-1 text-14 wrap-anywhere whitespace-pre-line">
          {message}
        </p>
      )}
    </li>
  )
}

type RateFormProps = { profile: CharacterProfile; own: CharacterReview | undefined }

function RateForm({ profile, own }: RateFormProps) {
  const client = useQueryClient()
  const [rating, setRating] = useState(own?.rating ?? 0)
  const [message, setMessage] = useState(own?.message ?? '')
  const [fault, setFault] = useState('')
  const [isBusy, setIsBusy] = useState(false)
  const act = async (work: () => Promise<void>) => {
    setIsBusy(true)
    setFault('')
    try {
      await work()
      await client.invalidateQueries({ queryKey: ['characters'] })
    } catch {
      setFault(t('Your rating could not be saved. Try again.'))
    } finally {
      setIsBusy(false)
    }
  }
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    void act(() => saveRating(profile.slug, { rating, message: message.trim() || null }))
  }
  return (
    <form onSubmit={submit} className="mt-4 space-y-3 rounded-card border border-line bg-surface p-4">
      <StarsField value={rating} onChange={setRating} />
      {rating > 0 && (
        <textarea
          aria-label={t('Review (optional)')}
          placeholder={t('Review (optional)')}
          dir="auto"
          rows={2}
          maxLength={LIMITS.review}
          value={message}
          onChange={(event) => setMessage(event.target.value)}
          className="thin-scroll block w-full resize-y rounded-control border border-control bg-paper px-3 py-2 text-14 placeholder:text-ink-3 pointer-coarse:text-16"
        />
      )}
      <Alert>{fault}</Alert>
      {rating > 0 && (
        <div className="flex flex-wrap gap-2">
          <Button type="submit" disabled={isBusy}>
            {own ? t('Update rating') : t('Submit rating')}
          </Button>
          {own && (
            <Button kind="plain" disabled={isBusy} onClick={() => void act(() => deleteRating(profile.slug))}>
              {t('Remove rating')}
            </Button>
          )}
        </div>
      )}
    </form>
  )
}

type StarsFieldProps = { value: number; onChange: (value: number) => void }

function StarsField({ value, onChange }: StarsFieldProps) {
  return (
    <fieldset>
      <legend className="mb-1 text-13 font-medium text-ink-2">{t('Your rating')}</legend>
      <div className="flex">
        {STARS.map((star) => (
          <label
            key={star}
            className="relative flex size-9 cursor-pointer items-center justify-center rounded-control has-focus-visible:outline-2 has-focus-visible:outline-accent pointer-coarse:size-11"
          >
            <input
              type="radio"
              name="rating"
              aria-label={plural(star, { one: '{count} star', other: '{count} stars' })}
              checked={value === star}
              onChange={() => onChange(star)}
              className="absolute inset-0 size-full cursor-pointer opacity-0"
            />
            <Star
              aria-hidden="true"
              className={`size-5 ${star <= value ? 'fill-current text-accent' : 'text-ink-3'}`}
              strokeWidth={1.5}
            />
          </label>
        ))}
      </div>
    </fieldset>
  )
}

function saveRating(slug: string, review: { rating: number; message: string | null }): Promise<void> {
  return send(slug, { method: 'PUT', headers: { 'content-type': 'application/json' }, body: JSON.stringify(review) })
}

const deleteRating = (slug: string): Promise<void> => send(slug, { method: 'DELETE' })

async function send(slug: string, init: RequestInit): Promise<void> {
  await ensureSession(queryClient(), t('To rate this character'))
  const response = await fetch(`${pathOf(slug)}/review`, init)
  if (!response.ok) throw await errorOf(response)
}
