import type { Job } from './module-job.js';

/** Who waits, who is at work in the thread, and who has to work there alone. */
export class JobQueue {
  readonly #working = new Map<number, Job>();
  #waiting: Job[] = [];
  #suspects: Job[] = [];
  #lastId = 0;

  add(job: Job): void {
    if (job.suspect) this.#suspects.push(job);
    else this.#waiting.push(job);
  }

  /** Those that may be sent now, numbered. A suspect gets an empty thread, and nobody is sent beside it. */
  take(): readonly Job[] {
    if (this.#suspects.length > 0) {
      const next = this.#working.size === 0 ? this.#suspects.shift() : undefined;
      return next ? [this.#begin(next)] : [];
    }
    if (this.#waiting.length === 0 || this.#servesSuspect()) return [];
    const jobs = this.#waiting;
    this.#waiting = [];
    for (const job of jobs) this.#begin(job);
    return jobs;
  }

  at(id: number): Job | undefined {
    return this.#working.get(id);
  }

  remove(job: Job): void {
    if (this.#working.delete(job.id)) return;
    this.#waiting = this.#waiting.filter((other) => other !== job);
    this.#suspects = this.#suspects.filter((other) => other !== job);
  }

  working(): Job[] {
    return [...this.#working.values()];
  }

  queued(): Job[] {
    return [...this.#suspects, ...this.#waiting];
  }

  get isQueueEmpty(): boolean {
    return this.#waiting.length === 0 && this.#suspects.length === 0;
  }

  #begin(job: Job): Job {
    job.id = ++this.#lastId;
    this.#working.set(job.id, job);
    return job;
  }

  #servesSuspect(): boolean {
    if (this.#working.size !== 1) return false;
    const [only] = this.#working.values();
    return only?.suspect === true;
  }
}
