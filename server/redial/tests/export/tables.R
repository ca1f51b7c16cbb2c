# What R makes of the questions of tables.py (Debian: r-base-core r-cran-jsonlite r-cran-lme4
# r-cran-lmertest r-cran-ordinal r-cran-survival r-cran-afex).
#
#     Rscript tables.R ASKED.json ANSWERED.json
suppressPackageStartupMessages({
  library(jsonlite); library(lme4); library(lmerTest); library(ordinal); library(survival); library(afex)
})
args <- commandArgs(TRUE)
asked <- fromJSON(args[1], simplifyVector = TRUE)
quietly <- function(x) suppressMessages(suppressWarnings(x))

long <- function(rows, group = 1) data.frame(
  group = group, person = paste(group, rep(seq_len(nrow(rows)), ncol(rows))),
  condition = factor(rep(seq_len(ncol(rows)), each = nrow(rows))), y = as.vector(rows))
tests <- function(fit) {
  s <- summary(fit$Anova, multivariate = FALSE)
  list(tests = s$univariate.tests, adjusted = s$pval.adjustments)
}
repeated <- function(q) {
  s <- tests(quietly(aov_ez("person", "y", long(q$rows), within = "condition")))
  u <- s$tests["condition", ]; a <- s$adjusted["condition", ]
  list(f = u[["F value"]], p = u[["Pr(>F)"]], epsilon = a[["GG eps"]], p_greenhouse_geisser = a[["Pr(>F[GG])"]])
}
mixed <- function(q) {
  # Groups of one size come as one array, others as a list.
  groups <- if (is.list(q$groups)) q$groups else lapply(seq_len(dim(q$groups)[1]), function(g) q$groups[g, , ])
  rows <- do.call(rbind, lapply(seq_along(groups), function(g) long(groups[[g]], g)))
  rows$group <- factor(rows$group)
  s <- tests(quietly(aov_ez("person", "y", rows, between = "group", within = "condition")))
  effect <- function(name) { u <- s$tests[name, ]
    list(f = u[["F value"]], df1 = u[["num Df"]], df2 = u[["den Df"]], p = u[["Pr(>F)"]]) }
  list(between = effect("group"), within = effect("condition"), interaction = effect("group:condition"),
       epsilon = s$adjusted["condition", "GG eps"],
       p_within_greenhouse_geisser = s$adjusted["condition", "Pr(>F[GG])"],
       p_interaction_greenhouse_geisser = s$adjusted["group:condition", "Pr(>F[GG])"])
}
# Contrasts of every two conditions, of the first less the second; the first level counts 0.
contrasts_of <- function(estimates, covariance) {
  k <- length(estimates); b <- c(0, estimates); V <- rbind(0, cbind(0, covariance))
  pairs <- utils::combn(k + 1, 2)
  list(estimates = b[pairs[1, ]] - b[pairs[2, ]],
       errors = apply(pairs, 2, function(p) sqrt(V[p[1], p[1]] + V[p[2], p[2]] - 2 * V[p[1], p[2]])))
}
# The fits of two optimisers (of `clmm`: with two tolerances), since they differ in the last digits.
fitted <- function(kind, d, terms) {
  optimisers <- c("bobyqa", "Nelder_Mead")
  if (length(terms) == 0)
    return(list(if (kind == "ordinal") clm(y ~ condition, data = d, control = list(gradTol = 1e-10))
                else glm(y ~ condition, binomial, d, epsilon = 1e-14)))
  formula <- as.formula(paste("y ~ condition", paste0("+ (1 | ", terms, ")", collapse = " ")))
  switch(kind,
    ordinal = lapply(c(1e-4, 1e-6), function(tolerance)
      clmm(formula, data = d, Hess = TRUE, control = clmm.control(gradTol = tolerance))),
    logistic = lapply(optimisers, function(o)
      glmer(formula, d, binomial, control = glmerControl(optimizer = o, tolPwrss = 1e-10))),
    linear = lapply(optimisers, function(o)
      lme4::lmer(formula, d, REML = TRUE, control = lmerControl(optimizer = o))))
}
best <- function(fits) fits[[which.max(sapply(fits, logLik))]]
# Standard errors of glmer and clmm come from differences of second order, which break down now and
# then: errors are then far too small, or not a number. The fit with the largest ones counts, and
# for glmer its other estimate.
covariance <- function(kind, fits, names) {
  found <- lapply(fits, function(f) tryCatch(as.matrix(vcov(f))[names, names], error = function(e) NULL))
  if (kind == "logistic" && inherits(fits[[1]], "merMod"))
    found <- c(found, lapply(fits, function(f) as.matrix(vcov(f, use.hessian = FALSE))[names, names]))
  sizes <- sapply(found, function(v) if (is.null(v) || !all(is.finite(v))) -Inf else sum(diag(v)))
  if (kind == "logistic" && max(sizes[seq_along(fits)]) > max(sizes) / 2) sizes <- sizes[seq_along(fits)]
  found[[which.max(sizes)]]
}
# A term that the likelihood does not notice is left out: the model without it is the same, and
# standard errors at the edge of what a variance can be are the worst.
model <- function(q) {
  d <- data.frame(y = q$y, person = factor(q$person), condition = factor(q$condition))
  d$person_condition <- interaction(d$person, d$condition, drop = TRUE)
  if (q$kind == "ordinal") d$y <- factor(d$y, ordered = TRUE)
  answer <- function() {
    terms <- sub("person:condition", "person_condition", q$random)
    fits <- fitted(q$kind, d, terms)
    whole <- as.numeric(logLik(best(fits)))
    # lmer wants one.
    for (term in rev(terms)) if (length(terms) > 1 || q$kind != "linear") {
      without <- fitted(q$kind, d, setdiff(terms, term))
      if (whole - as.numeric(logLik(best(without))) < 1e-4) { fits <- without; terms <- setdiff(terms, term) }
    }
    fit <- best(fits)
    estimates <- if (q$kind == "ordinal") fit$beta
                 else if (length(terms)) fixef(fit)[-1] else coef(fit)[-1]
    c(list(log_likelihood = whole), contrasts_of(estimates, covariance(q$kind, fits, names(estimates))))
  }
  tryCatch(quietly(answer()), error = function(e) list(error = conditionMessage(e)))
}
# survfit knows each question's influence on the curves; of several states it does not sum them
# by person, and gives no standard errors of restricted means: these are areas below summed
# influence curves.
incidence <- function(q) {
  d <- data.frame(time = q$time, person = q$person, row = seq_along(q$time),
                  event = factor(q$cause, 0:2, c("cut", "solved", "skipped")))
  f <- survfit(Surv(time, event) ~ 1, d, id = row, influence = TRUE)
  by_person <- function(s) rowsum(f$influence.pstate[, , s], d$person)
  error <- function(s) sqrt(colSums(by_person(s)^2))[-1]
  times <- c(0, f$time)
  width <- diff(c(times[times < q$until], q$until))
  area <- function(s) as.vector(by_person(s)[, times < q$until] %*% width)
  list(time = f$time, open = f$pstate[, 1], solved = f$pstate[, 2], skipped = f$pstate[, 3],
       at_risk = f$n.risk[, 1], error_solved = error(2), error_skipped = error(3),
       restricted = unname(summary(f, rmean = q$until)$table[, "rmean"]),
       restricted_error = sapply(1:3, function(s) sqrt(sum(area(s)^2))))
}
answers <- list(
  repeated = lapply(asked$repeated, repeated), mixed = lapply(asked$mixed, mixed),
  models = lapply(asked$models, model), incidence = lapply(asked$incidence, incidence),
  tables = lapply(asked$tables, function(t) fisher.test(t, workspace = 2e8)$p.value))
write(toJSON(answers, digits = NA, auto_unbox = TRUE), args[2])
