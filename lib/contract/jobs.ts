/** How long the result of a job can be retrieved. Source: API contract, audio.md and video.md. */
export const JOB_RETENTION_MS = 24 * 3_600_000
