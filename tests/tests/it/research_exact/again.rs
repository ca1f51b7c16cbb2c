//! Distances of logs, worked out again by the shipped models.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use api::replay::ReplayState;
use api::routes;
use domain::model::distance::squared_error;
use domain::model::instance::{Instance, InstanceId};
use domain::session::event::{Author, Envelope, Event, SessionId};
use domain::session::plan::SessionPlan;
use hyper::Method;
use models::Zoo;
use tests::client::Client;
use tests::server::Server;

/// How far a distance may be from the one that is worked out again.
const EXACT: f64 = 1e-5;

/// What was compared in logs.
#[derive(Debug, Default)]
pub struct Compared {
    /// Logs.
    pub sessions: usize,
    /// Distances in them.
    pub distances: usize,
    /// How far one was from what follows, at most.
    pub farthest: f64,
}

/// Logs and what their dials lead to, worked out again by the shipped models.
pub struct Again<'a> {
    client: Client,
    token: &'a str,
    zoo: Zoo,
    instances: BTreeMap<InstanceId, Vec<f32>>,
}

impl<'a> Again<'a> {
    pub fn new(server: &Server, token: &'a str) -> Result<Self> {
        Ok(Self {
            client: Client::new(server.address()),
            token,
            zoo: Zoo::shipped()?,
            instances: BTreeMap::new(),
        })
    }

    async fn plan(&self, study: &str, session: &SessionId) -> Result<SessionPlan> {
        let path = routes::research_session(study, session);
        let answer = self.client.send(Method::GET, &path, Some(self.token), None);
        let state: ReplayState = answer.await?.success(&path)?.json()?;
        Ok(state.plan)
    }

    async fn instance(&mut self, id: &InstanceId) -> Result<Vec<f32>> {
        if let Some(known) = self.instances.get(id) {
            return Ok(known.clone());
        }
        let path = routes::instance(&id.0);
        let answer = self.client.send(Method::GET, &path, None, None).await?;
        let instance = Instance::from_bytes(&answer.success(&path)?.body)?;
        let values = instance.0.clone();
        self.instances.insert(id.clone(), values.clone());
        Ok(values)
    }

    /// Compares each distance and squared error of a log with what its dials lead to.
    pub async fn compare(
        &mut self,
        study: &str,
        session: &SessionId,
        log: &[Envelope],
        compared: &mut Compared,
    ) -> Result<()> {
        let plan = self.plan(study, session).await?;
        let mut here = None;
        for logged in log.iter().filter(|it| it.author == Author::Participant) {
            let event = match &logged.event {
                Event::QuestionStarted { at } => {
                    here = Some(*at);
                    continue;
                }
                Event::Task(event) => event,
                _ => continue,
            };
            let (Some(at), Some(movement), Some(distance)) =
                (here, event.movement(), event.distance())
            else {
                continue;
            };
            let stage = plan.stages.get(at.stage).context("no such stage")?;
            let model = stage.task.model().context("no model")?;
            let id = *stage
                .task
                .instances(at.question)
                .first()
                .context("no target")?;
            let target = self.instance(id).await?;
            let bundle = self.zoo.get(&model.name).context("no such model")?;
            ensure!(
                bundle.fingerprint() == model.bundle_sha256,
                "another {}",
                model.name
            );
            let picture = bundle.decoder().decode(&movement.z)?;
            let again = model.distance.between(model.shape, &picture, &target)?;
            let mut far = (again - distance).abs();
            if let Some(recorded) = event.squared_error() {
                // In proportion, where it is large: it is a sum over all values.
                let again = squared_error(&picture, &target)?;
                far = far.max((again - recorded).abs() / again.max(1.0));
            }
            ensure!(
                far <= EXACT,
                "{study} {session} event {}: {distance} was recorded, {again} follows",
                logged.seq
            );
            compared.farthest = compared.farthest.max(far);
            compared.distances += 1;
        }
        compared.sessions += 1;
        Ok(())
    }
}
