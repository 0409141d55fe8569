// Source: API contract, audio.md and video.md.
export const JOB_LIFE_SECONDS = 2 * 3_600
export const MAX_LIVE_JOBS = 20
export const MAX_ALL_LIVE_JOBS = 5_000
export const MAX_RUNNING_JOBS = 8
export const MAX_ATTEMPTS = 5
export const LEASE_SECONDS = 30
export const RENEW_INTERVAL_MS = 8_000
export const MAX_MEDIA_BYTES = 512 * 1024 * 1024
