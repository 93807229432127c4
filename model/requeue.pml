/*
 * requeue: who may bring one job back, and what can go wrong between a look and a command. A model for spin.
 *
 * In it      one job with Advice RESTARTED for its attempt 0; slurmctld, which saves late and may crash; two SACs on two hosts,
 *            each with its lock, journal, fence and watchdog; the server's lease; the command children, late or orphaned.
 * Keeps      ONE        at most one requeue of ours in the surviving history, and none of another attempt than the Advice's
 *            ENDED      no completed or cancelled job is resurrected by us
 *            STRANDED   when nothing more happens, no hold of ours is left
 *            THEIRS     a hold of the owner is not released
 *            ACTING     no command passes its last check under a lease or an epoch that has been overtaken, and never do two SACs
 *                       have a requeue on the way
 * Time       there is none: a process may stop anywhere for ever so long. What is assumed of time stands in `World` and in
 *            `settled`, `takenOver`, and nowhere else.
 * Variants   `check` defines one WITHOUT_… (a rule left out) or WITH_… (an assumption given up) for each counterexample.
 * Source     docs/decisions/0013; design: apps/sac/src, packages/core/src/plan.
 */

mtype = { RUNNING, LEAVING, PENDING, FAILED, COMPLETED, CANCELLED }; /* LEAVING: COMPLETING with a raised count */
mtype = { REQUEUE_RUNNING, REQUEUE_ENDED, CONSTRAIN, RELEASE, START_SOON, FINISH, SATISFIED };
mtype = { SPAWNED, READ, ON_THE_WAY, ANSWERED }; /* a command child and its command */
mtype = { NOTHING, DONE, MOVED, UNKNOWN, BEGUN };
mtype = { NO_MARK, INTENT, HELD };
mtype = { ONE, ENDED, STRANDED, THEIRS, ACTING };

#define NOBODY 0
#define IDLE 0
#define OWNER 3 /* 1 and 2 are the SACs */

typedef Record { /* what slurmctld keeps, and loses in a crash */
  mtype state = RUNNING;
  byte count;
  byte submit; /* submit time: names the attempt together with the count */
  byte hold;
  bool isLateHold; /* set so long after its command was begun that the journal's time window does not cover it */
  bool isExcluded;
  bool startsSoon; /* StartTime was set: Slurm's own delay after a requeue no longer guards */
  mtype mark = NO_MARK;
  byte ours /* requeues of ours in this history */
};
Record live, saved, none;
bool isSaved = true;
byte clock; /* submit times, never taken back */
mtype fate[4]; /* how an attempt's processes ended: a rollback does not change it. 0: they have not */

typedef Command {
  mtype kind;
  mtype phase; /* 0: idle */
  mtype outcome;
  byte sac; /* 1 or 2: its SAC, or that SAC's watchdog */
  byte count;
  byte submit;
  byte epoch;
  byte term; /* the lease's, counted down */
  bool isOrphan /* nobody waits for its answer: it ends alone */
};
Command command[5]; /* 0 and 1: SAC 1, one of them perhaps still on its way; 2: SAC 2; 3, 4: the watchdogs */

typedef Host { /* what survives the SAC of this host */
  mtype requeue; /* the journal: the strongest claim of an ended step */
  bool requeueRan; /* …its source was running */
  bool isBegun; /* a requeue was begun and has no end */
  bool begunRan;
  bool hasUnknown; /* some step's outcome is not known */
  bool hasReleased;
  bool hasSetStart;
  bool hasSteps;
  bool isFinished;
  bool isOfEnded; /* the source of the last requeue had ended */
  bool isSeen; /* a look has shown what became of it */
  byte landedAs; /* the submit time with which it was seen to land; 0: it was not seen yet */
  byte firstBegun; /* the clock then: an earlier hold is not ours */
  byte epoch; /* the fence file */
  byte lock; /* 1: SAC, 2: watchdog */
  bool isAlive = true;
  bool isTold /* it knows that another SAC has the lease */
};
Host host[3]; /* 1, 2 */

byte lease = 1; /* who has it at the server */
bool isOpen = true; /* the Advice */

#ifndef FAULTS
#define FAULTS 2
#endif
byte faults = FAULTS; /* how many of the following may come together, in any order */
#ifndef HANDOVERS
#define HANDOVERS 2
#endif
#ifndef SLURM_CRASHES
#define SLURM_CRASHES 1
#endif
byte handovers = HANDOVERS, sacCrashes = 1, slurmCrashes = SLURM_CRASHES, cancels = 1, lostAnswers = 1, stalls = 1;
#define may(fault) (faults > 0 && fault > 0)
#define spend(fault) faults--; fault--
#ifdef WITH_OWNER
byte ownerActs = 1;
#else
byte ownerActs = 0;
#endif
#ifdef WITH_FOREIGN_COMMENT
bool isMarkable = false; /* AdminComment holds what is not ours */
#else
bool isMarkable = true;
#endif

#ifdef LOOKS_AT
#define isLookedAt(name) (name == LOOKS_AT)
#else
#define isLookedAt(name) true
#endif
#define keeps(name, condition) if :: (condition) || !isLookedAt(name) :: else -> printf("violated: %e\n", name); assert(false) fi

#define isRequeue(c) (c.kind == REQUEUE_RUNNING || c.kind == REQUEUE_ENDED)
#define mayLand(c) (c.phase == READ || c.phase == ON_THE_WAY)
#define requeueMayLand(c) (mayLand(c) && isRequeue(c))
#define anyRequeueMayLand (requeueMayLand(command[0]) || requeueMayLand(command[1]) || requeueMayLand(command[2]))
#define ofSac1 (command[0].phase != IDLE || command[1].phase != IDLE)
#define ofSac2 (command[2].phase != IDLE)

#define onTheWay(c) (c.phase == ON_THE_WAY && isRequeue(c))
#define noneOfOther(h) ((h == 1 && !onTheWay(command[2])) || (h == 2 && !onTheWay(command[0]) && !onTheWay(command[1])))

/* ---- rules that a variant leaves out ---- */

/* Nothing follows a step of unknown outcome before `settleMs`: assumed longer than any of our commands is on its way. */
#if defined(WITHOUT_SETTLE) || defined(WITH_LATE_COMMANDS)
#define settled(h) true
#else
#define settled(h) ((h == 1 && !ofSac1) || (h == 2 && !ofSac2))
#endif

/* A SAC that has gained a term begins nothing new before what the last holder sent has landed. */
#if defined(WITHOUT_TAKEOVER_WAIT) || defined(WITH_LATE_COMMANDS)
#define takenOver(h) true
#else
#define takenOver(h) noneOfOther(h)
#endif

/* Slurm's delay is skipped only when no outcome is open; a new term is one that knows nothing of the last one's. */
#ifdef WITH_LATE_COMMANDS
#define maySkip(h) (!host[h].hasUnknown && handovers == HANDOVERS)
#else
#define maySkip(h) (!host[h].hasUnknown)
#endif

/* The last check of a child: its epoch, and for a requeue that its lease still lasts. */
#ifdef WITHOUT_FENCE
#define passesFence(c) true
#else
#ifdef WITHOUT_LEASE_IN_CHILD
#define passesFence(c) (c.epoch == host[c.sac].epoch)
#else
#define passesFence(c) (c.epoch == host[c.sac].epoch && (!isRequeue(c) || c.term == handovers))
#endif
#endif

#ifdef WITHOUT_REREAD
#define isExpected(c) true
#else
#define isExpected(c) (live.count == c.count && live.submit == c.submit && (\
  (c.kind == REQUEUE_RUNNING && live.state == RUNNING) || (c.kind == REQUEUE_ENDED && live.state == FAILED) || \
  (!isRequeue(c) && live.state == PENDING)))
#endif

#ifdef WITHOUT_LETTING_GO
#define hasWork(h) (isOpen)
#else
#define hasWork(h) (isOpen || (host[h].hasSteps && !host[h].isFinished))
#endif

/* ---- slurmctld ---- */

#define hasEnded (live.state == FAILED || live.state == COMPLETED || live.state == CANCELLED)

inline becomePending() {
  live.state = PENDING;
  clock++;
  live.submit = clock
}

inline raiseCount(by) {
  live.count++;
  live.hold = by;
  live.isLateHold = false;
  live.startsSoon = false;
  if
  :: live.state == RUNNING -> live.state = LEAVING
  :: else -> becomePending()
  fi
}

inline requeueOfOurs(c) {
  keeps(ONE, live.count == c.count && live.ours == 0);
  keeps(ENDED, live.state != COMPLETED && live.state != CANCELLED);
  if
  :: live.count < 3 -> raiseCount(c.sac); live.ours++
  :: else
  fi;
#ifdef WITH_LATE_HOLDS
  live.isLateHold = c.isOrphan;
#endif
  c.outcome = DONE
}

/* What slurmctld does with a command of ours, whenever it arrives. */
inline apply(c) {
  c.outcome = DONE;
  if
  :: isRequeue(c) && (live.state == PENDING || live.state == LEAVING) -> c.outcome = MOVED /* "Job is pending execution" */
  :: isRequeue(c) && live.state == RUNNING -> requeueOfOurs(c)
  :: c.kind == REQUEUE_ENDED && hasEnded -> requeueOfOurs(c)
  :: c.kind == CONSTRAIN && (live.state == PENDING || live.state == LEAVING) ->
     live.isExcluded = true;
     if :: isMarkable && live.hold != NOBODY -> live.mark = HELD :: else fi
  :: c.kind == RELEASE && (live.state == PENDING || live.state == LEAVING) ->
     keeps(THEIRS, live.hold != OWNER);
     live.hold = NOBODY
  :: c.kind == START_SOON && live.state == PENDING -> live.startsSoon = true
  :: else -> c.outcome = (c.kind == REQUEUE_RUNNING -> DONE : MOVED) /* `Incomplete`: rc 0, and nothing happened */
  fi;
  isSaved = !may(slurmCrashes)
}

inline copy(to, from) {
  to.state = from.state; to.count = from.count; to.submit = from.submit; to.hold = from.hold;
  to.isLateHold = from.isLateHold; to.isExcluded = from.isExcluded; to.startsSoon = from.startsSoon;
  to.mark = from.mark; to.ours = from.ours
}

inline become(next) { live.state = next; isSaved = !may(slurmCrashes) }

#define plainMayLand(c) (mayLand(c) && c.kind == REQUEUE_ENDED)
#ifdef WITH_WINDOW
#define isInWindow false
#else
#define isInWindow (plainMayLand(command[0]) || plainMayLand(command[1]) || plainMayLand(command[2]))
#endif

/* Nothing of ours is left that could go wrong: no need to look further. */
#define allIdle (command[0].phase == IDLE && command[1].phase == IDLE && command[2].phase == IDLE && \
                 command[3].phase == IDLE && command[4].phase == IDLE && host[1].lock == 0 && host[2].lock == 0)
#define isQuiet (!isOpen && live.hold == NOBODY && isSaved && allIdle)

/* The owner requeues and holds the job only while no step of ours is under way, when a look has shown what became of our requeues. */
#define isFollowed(h) (host[h].requeue != 0 || host[h].isBegun)
#ifdef WITH_LOOKS_BEFORE_OWNER
#define isKnown(h) (!isFollowed(h) || host[h].isSeen)
#define isOwnersTurn (isKnown(1) && isKnown(2) && allIdle)
#else
#define isOwnersTurn true
#endif

#ifdef WITH_SHORT_DELAY
#define isDelayOver true
#else
#define isDelayOver (!anyRequeueMayLand)
#endif

/* The job, its owner and slurmctld. A budget that is not used is given away, so that the end of all action can be seen. */
proctype World() {
  do
  :: isQuiet -> break
  :: d_step { live.state == RUNNING && !isQuiet && fate[live.count] != COMPLETED -> fate[live.count] = FAILED; become(FAILED) }
  :: d_step { live.state == RUNNING && !isQuiet && fate[live.count] != FAILED -> fate[live.count] = COMPLETED; become(COMPLETED) }
  :: d_step { live.state == LEAVING -> becomePending(); isSaved = !may(slurmCrashes) }
  /* Assumed: Slurm's own delay after a requeue (121 s) is longer than any of our commands is on its way. */
  :: d_step { live.state == PENDING && !isQuiet && live.hold == NOBODY && (live.startsSoon || isDelayOver) ->
       fate[live.count] = 0; become(RUNNING) }
  /* Assumed: no cancel, of a job that a rollback has shown running again, between a child's re-read and its plain requeue. */
  :: d_step { may(cancels) && !isQuiet && !hasEnded && !isInWindow -> spend(cancels); become(CANCELLED) }
  :: d_step { may(ownerActs) && live.count < 3 && live.state != PENDING && live.state != LEAVING ->
       spend(ownerActs); raiseCount(NOBODY); isSaved = !may(slurmCrashes) }
#ifdef WITH_OWNERS_HOLD
  :: d_step { may(ownerActs) && live.count < 3 && live.state != PENDING && live.state != LEAVING && isOwnersTurn ->
       spend(ownerActs); raiseCount(OWNER); isSaved = !may(slurmCrashes) }
#endif
  :: d_step { !isSaved -> isSaved = true; if :: may(slurmCrashes) -> copy(saved, live) :: else -> copy(saved, none) fi }
  :: d_step { may(slurmCrashes) && !isSaved -> spend(slurmCrashes); copy(live, saved); copy(saved, none); isSaved = true }
  :: d_step { lease == 1 && !isQuiet && may(handovers) -> spend(handovers); lease = 2 }
  :: d_step { lease == 2 && !isQuiet && may(handovers) -> spend(handovers); lease = 1 }
  :: d_step { faults > 0 && !isQuiet -> faults = 0; isSaved = true; copy(saved, none) }
  od
}

/* ---- the command children: read, compare, look at the fence, send ---- */

inline clear(c) {
  c.kind = 0; c.phase = IDLE; c.outcome = 0; c.sac = 0; c.count = 0; c.submit = 0; c.epoch = 0; c.term = 0; c.isOrphan = false
}
inline answer(c) { if :: c.isOrphan -> clear(c) :: else -> c.phase = ANSWERED fi }

#define childSteps(c, isSac) \
  :: d_step { c.phase == SPAWNED && isRequeue(c) -> \
       if :: isExpected(c) -> c.phase = READ :: else -> c.outcome = MOVED; answer(c) fi } \
  :: d_step { c.phase == READ || (c.phase == SPAWNED && !isRequeue(c)) -> \
       if \
       :: passesFence(c) && (c.phase == READ || isExpected(c)) -> \
          checkActing(c, isSac); \
          c.phase = ON_THE_WAY \
       :: else -> c.outcome = MOVED; answer(c) \
       fi } \
  :: d_step { c.phase == ON_THE_WAY -> apply(c); answer(c) } \
  :: d_step { c.phase == ON_THE_WAY && c.isOrphan -> clear(c) }

#define checkActing(c, isSac) \
  keeps(ACTING, !isSac || (c.epoch == host[c.sac].epoch && (!isRequeue(c) || (c.term == handovers && noneOfOther(c.sac)))))

proctype Children() {
  do
  childSteps(command[0], true)
  childSteps(command[1], true)
  childSteps(command[2], true)
  childSteps(command[3], false)
  childSteps(command[4], false)
  od
}

/* ---- a SAC: look, plan, gate, begin, command, end; under its host's lock ---- */

/* A requeue of unknown outcome is ours by the journal alone. */
#ifdef WITH_MARKER_NEEDED
#define isClaimable(ran) (!(ran) || live.mark != NO_MARK)
#else
#define isClaimable(ran) true
#endif
/* ownership.ts#holdOwner */
#define claims(h) (live.count == 1 && (live.mark == HELD || (live.submit > host[h].firstBegun && host[h].hasSteps && \
  (host[h].landedAs == 0 || host[h].landedAs == live.submit) && ( \
  host[h].requeue == DONE || \
  (host[h].requeue == UNKNOWN && !live.isLateHold && isClaimable(host[h].requeueRan)) || \
  (host[h].isBegun && !live.isLateHold && isClaimable(host[h].begunRan))))))

#define successorPends (live.count == 1 && live.state == PENDING)
#define hasStarted (live.count == 1 && (live.state == RUNNING || live.state == FAILED || live.state == COMPLETED))
#define isTheirs(h) (live.hold != NOBODY && !claims(h))
#define isOurs(h) (live.hold != NOBODY && claims(h))

/* ownership.ts#landingOf: what became of the last requeue, as a look shows it: it is not there (any more), or it has landed. */
inline noteLanding(h) {
  if
  :: live.count == 0 && isFollowed(h) ->
     host[h].isSeen = true
#ifndef WITHOUT_LANDING
     ;
     if :: host[h].isBegun -> host[h].hasUnknown = true :: else fi;
     host[h].isBegun = false; host[h].requeue = 0; host[h].landedAs = 0; host[h].isOfEnded = false
#endif
  :: successorPends && isFollowed(h) && host[h].isOfEnded && host[h].landedAs == 0 && claims(h) ->
     host[h].isSeen = true
#ifndef WITHOUT_LANDING
     ;
     host[h].landedAs = live.submit
#endif
  :: else
  fi
}

#define wantsRequeue(h) (isOpen && live.count == 0 && (live.state == FAILED || live.state == RUNNING) && lease == h && takenOver(h))
#define wantsConstrain(h) (isOpen && successorPends && !isTheirs(h) && !live.isExcluded)
#define wantsRelease(h) (successorPends && isOurs(h) && (live.isExcluded || !isOpen))
#define wantsStart(h) (isOpen && successorPends && live.hold == NOBODY && live.isExcluded && host[h].hasReleased && \
                       !host[h].hasSetStart && maySkip(h))
#define isContent(h) (isOpen && live.isExcluded && (hasStarted || (successorPends && live.hold == NOBODY && !wantsStart(h))))
#define isOver(h) (live.count > 1 || live.state == CANCELLED || (live.count == 0 && live.state == COMPLETED) || \
                   (hasStarted && (!live.isExcluded || !isOpen)) || (successorPends && isTheirs(h)) || \
                   (successorPends && live.hold == NOBODY && !isOpen) || (!isOpen && live.count == 0))

inline planNext(h) {
  if
  :: wantsRequeue(h) && live.state == RUNNING -> todo = REQUEUE_RUNNING
  :: wantsRequeue(h) && live.state == FAILED -> todo = REQUEUE_ENDED
  :: wantsConstrain(h) -> todo = CONSTRAIN
  :: wantsRelease(h) -> todo = RELEASE
  :: wantsStart(h) -> todo = START_SOON
  :: isContent(h) -> todo = SATISFIED
  :: isOver(h) -> todo = FINISH
  :: else -> todo = 0
  fi
}

#ifdef WITHOUT_SETTLE
#define isConfirmed(h) true
#else
#define isConfirmed(h) (isContentSince && isSavedSince) /* seen twice, `settleMs` apart: assumed longer than slurmctld saves late */
#endif
#if defined(WITHOUT_SETTLE) || defined(WITHOUT_CONFIRMED_ENDINGS)
#define endsNow(h) (isOver(h) && !isContent(h))
#else
#define endsNow(h) (isOver(h) && !isContent(h) && isSaved) /* it has stood for `settleMs` */
#endif
#define hasNext(h) (wantsRequeue(h) || wantsConstrain(h) || wantsRelease(h) || wantsStart(h) || endsNow(h) || \
                    (isContent(h) && (isConfirmed(h) || !isContentSince)))

inline begin(h) {
  if
  :: todo == REQUEUE_RUNNING || todo == REQUEUE_ENDED ->
     if :: host[h].isBegun -> host[h].hasUnknown = true; claimUnknown(h, host[h].begunRan) :: else fi;
     host[h].isBegun = true;
     host[h].landedAs = 0;
     host[h].isSeen = false;
     host[h].isOfEnded = (todo == REQUEUE_ENDED)
#ifdef WITH_MARKER_NEEDED
     ;
     host[h].begunRan = (todo == REQUEUE_RUNNING);
     if /* the intent marker goes before it, by a command of its own */
     :: todo == REQUEUE_RUNNING && isMarkable && live.count == 0 && live.state == RUNNING -> live.mark = INTENT; isSaved = !may(slurmCrashes)
     :: else
     fi
#endif
  :: todo == START_SOON -> host[h].hasSetStart = true
  :: else
  fi;
#ifdef WITH_OWNERS_HOLD
  if :: !host[h].hasSteps -> host[h].firstBegun = clock :: else fi;
#endif
  host[h].hasSteps = true;
  host[h].isFinished = false
}

inline claimUnknown(h, ran) {
  if :: host[h].requeue != DONE -> host[h].requeue = UNKNOWN; host[h].requeueRan = ran :: else fi
}

inline end(h, outcomeOf) {
  if :: outcomeOf == UNKNOWN -> host[h].hasUnknown = true :: else fi;
  if
  :: todo == REQUEUE_RUNNING || todo == REQUEUE_ENDED ->
     if
     :: outcomeOf == DONE -> host[h].requeue = DONE
     :: outcomeOf == UNKNOWN -> claimUnknown(h, host[h].begunRan)
     :: else
     fi;
     host[h].isBegun = false
  :: todo == RELEASE && outcomeOf == DONE -> host[h].hasReleased = true
  :: else
  fi
}

inline send(c, h) {
  c.kind = todo; c.sac = h; c.count = seenCount; c.submit = seenSubmit; c.epoch = epoch; c.term = seenTerm;
  c.phase = SPAWNED
}

#define crashes(h) (h == 1 && may(sacCrashes))

proctype Sac(byte h) {
  mtype todo;
  byte seenCount, seenSubmit, seenTerm, epoch, slot;
  bool isContentSince, isSavedSince;
again:
  do
  :: d_step { lease != h && !host[h].isTold -> host[h].isTold = true }
  :: d_step { lease == h && host[h].isTold -> host[h].isTold = false }
  :: d_step { isContentSince && isSaved && !isSavedSince -> isSavedSince = true }
  :: d_step { isContentSince && !isContent(h) -> isContentSince = false; isSavedSince = false }
  :: d_step {
       !host[h].isTold && hasWork(h) && settled(h) && hasNext(h) && host[h].lock == 0 &&
         (h == 2 || command[0].phase == IDLE || command[1].phase == IDLE) && (h == 1 || command[2].phase == IDLE) ->
       host[h].lock = 1; /* and a fresh look under it */
       noteLanding(h);
       planNext(h);
       seenCount = live.count;
       seenSubmit = live.submit;
       seenTerm = (todo == REQUEUE_RUNNING || todo == REQUEUE_ENDED -> handovers : 0);
       slot = (h == 2 -> 2 : (command[0].phase == IDLE -> 0 : 1))
     };
     break
  :: d_step { crashes(h) -> spend(sacCrashes); host[h].isAlive = false } -> goto dead
  od;

  if
  :: d_step { todo == 0 -> host[h].lock = 0 }
  :: d_step { todo == SATISFIED && !isConfirmed(h) -> isContentSince = true; isSavedSince = isSaved; host[h].lock = 0 }
  :: d_step { todo == FINISH || (todo == SATISFIED && isConfirmed(h)) ->
       host[h].isFinished = true; isOpen = false; host[h].lock = 0 }
  :: else ->
     atomic { begin(h) };
     if
     :: d_step { crashes(h) -> spend(sacCrashes); host[h].isAlive = false; host[h].lock = 0 } -> goto dead
     :: d_step { send(command[slot], h) }
     fi;
     if
     :: d_step { command[slot].phase == ANSWERED -> end(h, command[slot].outcome); clear(command[slot]) }
     :: d_step { h == 1 && may(lostAnswers) && command[slot].phase == ON_THE_WAY -> spend(lostAnswers); command[slot].isOrphan = true; end(h, UNKNOWN) }
     :: d_step { crashes(h) -> /* its child goes on */
          spend(sacCrashes); host[h].isAlive = false; host[h].lock = 0;
          if :: command[slot].phase == ANSWERED -> clear(command[slot]) :: else -> command[slot].isOrphan = true fi } -> goto dead
     fi;
     d_step { if :: host[h].lock == 1 -> host[h].lock = 0 :: else fi }
  fi;
  atomic { todo = 0; slot = 0; seenCount = 0; seenSubmit = 0; seenTerm = 0; epoch = host[h].epoch };
  goto again;

dead:
  atomic {
    todo = 0; slot = 0; seenCount = 0; seenSubmit = 0; seenTerm = 0; isContentSince = false; isSavedSince = false;
    if :: host[h].isBegun -> host[h].hasUnknown = true :: else fi
  };
  if
  :: d_step { true -> host[h].isAlive = true; epoch = host[h].epoch } -> goto again
  :: true /* it stays away */
  fi
}

/* ---- the watchdog of a host: lets go what is ours when its SAC has stopped, or may have ---- */

#define isStranded(h) (successorPends && isOurs(h) && host[h].hasSteps && !host[h].isFinished)
#define mayBeGone(h) (host[h].lock == 0 -> (!host[h].isAlive || host[h].isTold) : (h == 1 && host[h].lock == 1 && may(stalls)))

proctype Watchdog(byte h) {
  do
  :: d_step {
       isStranded(h) && mayBeGone(h) && command[h + 2].phase == IDLE ->
       if
       :: host[h].lock == 0 -> host[h].lock = 2
       :: else -> spend(stalls); host[h].epoch++ /* 30 s without the lock: going on under a raised epoch */
       fi;
       command[h + 2].kind = RELEASE; command[h + 2].sac = h; command[h + 2].count = live.count; command[h + 2].submit = live.submit;
       command[h + 2].epoch = host[h].epoch; command[h + 2].phase = SPAWNED
     }
  :: d_step { command[h + 2].phase == ANSWERED ->
       clear(command[h + 2]);
       if :: host[h].lock == 2 -> host[h].lock = 0 :: else fi }
  od
}

/* ---- the judge at the end of all action ---- */

proctype Judge() {
  timeout ->
  keeps(STRANDED, !(live.state == PENDING && (live.hold == 1 || live.hold == 2)))
}

init {
  atomic {
    host[2].isTold = true;
    run World(); run Children(); run Sac(1); run Sac(2); run Watchdog(1); run Watchdog(2); run Judge()
  }
}
