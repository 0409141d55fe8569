import { SERVICE_NAME } from '@/lib/contract/service-name'

type MarkProps = { className?: string }

export function Mark({ className = '' }: MarkProps) {
  return (
    <svg viewBox="0 0 24 24" fill="none" aria-hidden="true" className={className}>
      <path d="M17.2 4.3A9.25 9.25 0 1 1 12 2.75" stroke="currentColor" strokeWidth="2.25" strokeLinecap="round" />
      <path
        d="M7 11.1c1.7-1.35 3.3-1.35 5 0s3.3 1.35 5 0M7 14.9c1.7-1.35 3.3-1.35 5 0s3.3 1.35 5 0"
        stroke="var(--color-accent)"
        strokeWidth="1.75"
        strokeLinecap="round"
      />
    </svg>
  )
}

export function Wordmark() {
  return (
    <span className="inline-flex items-center gap-2">
      <Mark className="size-6" />
      <span className="font-serif text-[1.3125rem] leading-6 font-[480] tracking-[-0.01em]">{SERVICE_NAME}</span>
    </span>
  )
}
