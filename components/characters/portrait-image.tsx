'use client'

import { useState } from 'react'

type PortraitImageProps = { src: string; name: string; className: string; isEager?: boolean }

export function PortraitImage({ src, name, className, isEager = false }: PortraitImageProps) {
  const [failed, setFailed] = useState<string>()
  if (failed === src) return <Monogram name={name} className={className} />
  return (
    // biome-ignore lint/performance/noImgElement: the service draws them small already
    <img
      src={src}
      alt=""
      width={240}
      height={240}
      loading={isEager ? 'eager' : 'lazy'}
      decoding="async"
      draggable={false}
      onError={() => setFailed(src)}
      className={`bg-hover object-cover ${className}`}
    />
  )
}

const LOOKS = [
  'bg-accent-soft text-accent',
  'bg-bubble text-ink-2',
  'bg-ink-2 text-paper',
  'bg-sunken text-ink',
  'bg-accent text-on-accent',
] as const

type MonogramProps = { name: string; className: string }

export function Monogram({ name, className }: MonogramProps) {
  return (
    <span
      aria-hidden="true"
      className={`@container flex items-center justify-center overflow-hidden font-serif select-none ${lookOf(name)} ${className}`}
    >
      <span className="text-[min(42cqw,4.5rem)] leading-none">{initialsOf(name)}</span>
    </span>
  )
}

export function initialsOf(name: string): string {
  const names = name.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word))
  const [first, last] = [names[0], names.length > 1 ? names.at(-1) : undefined]
  return [first, last].map((word) => letterOf(word)).join('') || '·'
}

const letterOf = (word = ''): string => /[\p{L}\p{N}]/u.exec(word)?.[0].toLocaleUpperCase() ?? ''

function lookOf(name: string): string {
  let sum = 0
  for (const letter of name) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9_973
  return LOOKS[sum % LOOKS.length] ?? LOOKS[0]
}
